/** Writes to a libSQL server with other writers and limited concurrency. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Client, createClient, LibsqlError } from '@libsql/client'
import { createClient as createRemoteClient } from '@libsql/client/web'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { doctorCommand } from '../../../scripts/cli/doctor-command.ts'
import { openServerDatabase } from '../../../src/platform/server-database.ts'
import { readSettings } from '../../../src/settings.ts'
import { type Database, openDatabase } from '../../../src/storage/database.ts'
import { measureClockLead, readServerMs } from '../../../src/storage/server-clock.ts'
import { runHere } from '../../fixtures/command.ts'
import { hasLibsqlServer, type LibsqlServer, startLibsqlServer } from '../../fixtures/libsql-server.ts'
import { listen, stop } from '../../fixtures/s3-server.ts'

const count = async (database: Database): Promise<unknown> =>
  (await database.read((queries) => queries.get<{ n: number }>(sql`select count(*) as n from _t`))).n

const insert = (database: Database) =>
  database.write((queries) => queries.run(sql`insert into _t values (1)`))

describe('a database that is busy', () => {
  /** A client whose first transactions are refused. */
  function busyClient(refusals: number, code: string): Client {
    const client = createClient({ url: ':memory:' })
    let left = refusals
    return new Proxy(client, {
      get(target, name) {
        if ((name === 'transaction' || name === 'batch') && left-- > 0) {
          return async () => {
            throw new LibsqlError('database is locked', code)
          }
        }
        const member = Reflect.get(target, name)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  }

  it('a busy database is retried, and the write is done once', async () => {
    const database = openDatabase(busyClient(2, 'SQLITE_BUSY'), false)
    await database.read((queries) => queries.run(sql`create table _t (a integer)`))
    await insert(database)
    expect(await count(database)).toBe(1)
  })

  it('retries of a busy database end', async () => {
    const database = openDatabase(busyClient(100, 'SQLITE_BUSY'), false)
    await expect(insert(database)).rejects.toMatchObject({ code: 'database_failed' })
  })

  it('other database errors are not retried', async () => {
    const client = busyClient(1, 'SQLITE_FULL')
    const database = openDatabase(client, false)
    await database.read((queries) => queries.run(sql`create table _t (a integer)`))
    await expect(insert(database)).rejects.toMatchObject({ code: 'database_failed' })
    expect(await count(database)).toBe(0)
  })
})

it('a database server that is gone fails reads and every kind of write alike', async () => {
  const { endpoint, server } = await listen(() => {})
  await stop(server)
  const database = openDatabase(createRemoteClient({ url: endpoint }), false)
  const gone = sql`insert into _t values (1)`
  const calls = [
    database.read((queries) => queries.run(sql`select 1`)),
    database.write((queries) => queries.run(gone)),
    database.write((queries) => queries.all(sql`insert into _t values (1) returning a`)),
    database.together('read', (queries) => [queries.select({ n: sql`1` }).from(sql`_t`)]),
    database.together('write', (queries) => [queries.select({ n: sql`1` }).from(sql`_t`)]),
  ]
  for (const outcome of await Promise.allSettled(calls))
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'database_failed' } })
})

it('a silent database server is given up after the time limit', async () => {
  const { endpoint, server } = await listen(() => {})
  try {
    const settings = readSettings({ DATABASE_URL: endpoint, SVC_EXTERNAL_REQUEST_TIMEOUT: '1' })
    await expect(openServerDatabase(settings, () => {})).rejects.toMatchObject({ code: 'database_failed' })
  } finally {
    await stop(server)
  }
}, 5_000)

const title = hasLibsqlServer
  ? 'a libSQL server'
  : 'a libSQL server (skipped: sqld is missing: npm run runtimes)'

describe.skipIf(!hasLibsqlServer)(title, () => {
  let server: LibsqlServer
  let databases: Database[]

  beforeAll(async () => {
    server = await startLibsqlServer()
    databases = [1, 2].map(() => openDatabase(createClient({ url: server.url }), false))
    await databases[0]!.write((queries) => queries.run(sql`create table _t (a integer)`))
  })

  afterAll(() => server?.close())

  it('two services run three hundred concurrent transactions on one server', async () => {
    await Promise.all(Array.from({ length: 300 }, (_, n) => insert(databases[n % 2]!)))
    expect(await count(databases[0]!)).toBe(300)
  })

  it('the server tells its time', async () => {
    const lead = (aheadMs: number) =>
      measureClockLead(
        () => readServerMs(databases[0]!),
        () => Date.now() + aheadMs,
      )
    expect(await lead(0)).toBeCloseTo(0, -1)
    expect(Math.round((await lead(3600_000)) / 60_000)).toBe(60)
    expect(Math.round((await lead(-3600_000)) / 60_000)).toBe(-60)
  })

  it('doctor warns of a clock that differs from the server’s', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'doctor-clock-'))
    const now = Date.now
    const findings = async (aheadMs: number) => {
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs)
      const settings = { DATABASE_URL: server.url, DATA_DIR: folder, PORT: '0' }
      const { output } = await runHere(doctorCommand, ['--json'], settings).finally(() => clock.mockRestore())
      const all: { name: string; state: string; text: string }[] = JSON.parse(output)
      return all.find(({ name }) => name === 'database')
    }
    expect(await findings(0)).toMatchObject({ state: 'ok' })
    expect(await findings(600_000)).toMatchObject({
      state: 'warn',
      text: expect.stringMatching(/ (600|599) s ahead of its own$/),
    })
    await rm(folder, { recursive: true })
  })
})
