/** How often a replica asks its database server: each call costs the way there and back. */

import { createClient } from '@libsql/client'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { submitAnalyses, submitFolder } from '../../../src/folders/submit.ts'
import { migrateDatabase } from '../../../src/platform/server-database.ts'
import { type Database, openDatabase } from '../../../src/storage/database.ts'
import { OutboxStore } from '../../../src/storage/webhooks/outbox-store.ts'
import { type KeptFolders, keepFolders, quality } from '../../fixtures/kept-folders.ts'
import { hasLibsqlServer, type LibsqlServer, startLibsqlServer } from '../../fixtures/libsql-server.ts'
import { submittedMedium } from '../../fixtures/submitted-medium.ts'

const title = hasLibsqlServer ? 'calls' : 'calls (skipped: sqld is missing: npm run runtimes)'

describe.skipIf(!hasLibsqlServer)(title, () => {
  let server: LibsqlServer
  let database: Database
  let kept: KeptFolders
  let company: string
  const counts = { calls: 0, writes: 0 }

  beforeAll(async () => {
    server = await startLibsqlServer()
    const counted = async (request: Request): Promise<Response> => {
      const body = new Uint8Array(await request.clone().arrayBuffer())
      counts.calls++
      counts.writes += new TextDecoder('latin1').decode(body).split('BEGIN IMMEDIATE').length - 1
      return fetch(request)
    }
    const client = createClient({ url: server.url, fetch: counted })
    await migrateDatabase(client, false, () => {})
    database = openDatabase(client, false)
    await database.write((queries) => queries.run(sql`create table t (a integer unique)`))
  })
  afterAll(() => server?.close())
  beforeEach(async () => {
    kept = keepFolders(database)
    company = await kept.company(crypto.randomUUID())
    await database.write((queries) => queries.run(sql`delete from t`))
    Object.assign(counts, { calls: 0, writes: 0 })
  })

  const rows = () => database.read((queries) => queries.all<{ a: number }>(sql`select a from t order by a`))

  it.each([
    [2, { calls: 12, writes: 6 }],
    [1, { calls: 12, writes: 6 }],
  ])(
    'a folder with two photos and %i analyses takes few calls and write transactions',
    async (number, most) => {
      const photo = (key: string) => submittedMedium({ key })
      const submission = { companyId: company, userId: null, metadata: { a: 1 }, resolutionEndpoint: null }
      const { folder } = await submitFolder(
        kept.parts,
        { ...submission, media: [photo('a'), photo('b')], analyses: [] },
        {},
      )
      const found = (await kept.parts.folders.find(folder.id))!
      await submitAnalyses(kept.parts, found, Array<typeof quality>(number).fill(quality), null)
      const ended = vi.fn()
      const runner = kept.runner({ onEnded: ended, pollMs: 60_000, pollMaxMs: 60_000 })
      runner.start()
      await vi.waitFor(() => expect(ended).toHaveBeenCalled(), { timeout: 20_000 })
      await runner.stop()
      const seen = { ...counts }
      expect((await kept.parts.folders.find(folder.id))!.result.resolutionStatus).toBe('FINISHED')
      expect(kept.troubles).toEqual([])
      expect(seen.calls, JSON.stringify(seen)).toBeLessThanOrEqual(most.calls)
      expect(seen.writes, JSON.stringify(seen)).toBeLessThanOrEqual(most.writes)
    },
  )

  it('a look at an empty queue, and at an empty outbox, is one call without a lock', async () => {
    await kept.parts.jobs.waiting(kept.clock.nowMs, 60_000)
    await new OutboxStore(database).take(kept.clock.nowMs, 1000, { max: 1, perCompanyMax: 1, except: [] })
    expect(counts).toEqual({ calls: 2, writes: 0 })
  })

  it('a transaction that only writes is one call, and one that asks once is two', async () => {
    await database.write(async (queries) => {
      await queries.run(sql`insert into t values (1)`)
      await queries.run(sql`insert into t values (2)`)
    })
    expect(counts).toEqual({ calls: 1, writes: 1 })
    const sum = await database.write(async (queries) => {
      await queries.run(sql`insert into t values (3)`)
      const { n } = await queries.get<{ n: number }>(sql`select sum(a) as n from t`)
      await queries.run(sql`insert into t values (${n})`)
      return n
    })
    expect(sum).toBe(6)
    expect(counts).toEqual({ calls: 3, writes: 2 })
    expect(await rows()).toEqual([1, 2, 3, 6].map((a) => ({ a })))
  })

  it.each([
    ['only writes', false],
    ['asked before', true],
  ])('a transaction that %s and has a failing statement changes nothing', async (_, asks) => {
    await database.write((queries) => queries.run(sql`insert into t values (1)`))
    const failing = database.write(async (queries) => {
      if (asks) await queries.get(sql`select 1`)
      await queries.run(sql`insert into t values (2)`)
      await queries.run(sql`insert into t values (1)`)
      await queries.run(sql`insert into t values (3)`)
    })
    await expect(failing).rejects.toMatchObject({ code: 'database_failed', message: 'duplicate key' })
    const refused = database.write(async (queries) => {
      await queries.run(sql`insert into t values (4)`)
      if (asks) await queries.get(sql`select 1`)
      throw new AppError('not_allowed')
    })
    await expect(refused).rejects.toMatchObject({ code: 'not_allowed' })
    expect(await rows()).toEqual([{ a: 1 }])
    // Neither holds the writer of the server.
    await database.write((queries) => queries.run(sql`delete from t`))
    expect(await rows()).toEqual([])
  })
})
