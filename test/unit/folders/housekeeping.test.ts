import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RecordFiles } from '../../../src/folders/record-files.ts'
import { clearFolder } from '../../../src/folders/remove-folder.ts'
import { abandonments } from '../../../src/records/analysis.ts'
import { UsedTokenStore } from '../../../src/storage/accounts/used-token-store.ts'
import { TemplateStore } from '../../../src/storage/collections/template-store.ts'
import { analyses, folders } from '../../../src/storage/schema.ts'
import { EventSessionStore } from '../../../src/storage/telemetry/event-session-store.ts'
import { EventSessionService } from '../../../src/telemetry/event-session-service.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders } from '../../fixtures/kept-folders.ts'
import { stateNumber } from '../../fixtures/stored-words.ts'

const dayMs = 24 * 3600_000

describe('housekeeping', () => {
  let opened: TestDatabase
  let kept: KeptFolders
  let company: string

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
    company = await kept.company('One')
  })
  afterEach(() => opened.close())

  const count = async (table: string): Promise<number> =>
    Number((await opened.client.execute(`select count(*) as n from ${table}`)).rows[0]!.n)
  const rowOf = async (id: string) => {
    const [row] = await opened.database.read((queries) =>
      queries.select().from(analyses).where(eq(analyses.id, id)),
    )
    return [row!.state, row!.failure?.code ?? null]
  }
  const take = () => kept.take(company)

  it('fails analyses that take too long, once, and tells the folder’s address', async () => {
    const folder = await kept.folder(company, 'https://example.com/')
    const [id] = await kept.start(folder)
    const { jobs } = (await take())!
    const held = jobs.map(({ job }) => job)
    const [second] = await kept.start(folder)
    const housekeeping = kept.housekeeping()
    kept.clock.nowMs += 899_000
    await kept.parts.jobs.extend(held, kept.clock.nowMs + 10_000)
    await housekeeping.beat()
    expect(await rowOf(id!)).toEqual(['PROCESSING', null])
    kept.clock.nowMs += 2_000
    await housekeeping.beat()
    expect(await rowOf(id!)).toEqual(['FAILED', 3101])
    // The folder has not ended while another analysis is open.
    expect(await rowOf(second!)).toEqual(['PROCESSING', null])
    expect(await count('outbox')).toBe(0)
    kept.clock.nowMs += 3600_000
    await housekeeping.beat()
    await housekeeping.beat()
    expect(await rowOf(second!)).toEqual(['FAILED', 3101])
    expect(await count('outbox')).toBe(1)
    expect((await kept.parts.folders.find(folder.id))!.result.resolutionStatus).toBe('FAILED')
  })

  it('tells once when several analyses of a folder end together', async () => {
    const folder = await kept.folder(company, 'https://example.com/')
    await kept.start(folder, 3)
    kept.clock.nowMs += 3601_000
    await kept.housekeeping().beat()
    expect(await count('outbox')).toBe(1)
  })

  it('fails many analyses in several transactions, since each holds the only writer', async () => {
    const folder = await kept.folder(company, 'https://example.com/')
    const ids = await kept.start(folder, 21)
    kept.clock.nowMs += 3601_000
    const writes = vi.spyOn(opened.database, 'write')
    const announcement = () => ({ eventId: crypto.randomUUID(), nowMs: kept.clock.nowMs })
    const limits = { startedBefore: 0, createdBefore: kept.clock.nowMs, leasedAfter: kept.clock.nowMs }
    expect(await kept.parts.jobs.expire(limits, announcement, () => {})).toHaveLength(21)
    expect(writes).toHaveBeenCalledTimes(3)
    for (const id of ids) expect(await rowOf(id)).toEqual(['FAILED', 3101])
    expect(await count('outbox')).toBe(1)
  })

  it('an analysis that cannot be failed stops no other one', async () => {
    const damaged = await kept.start(await kept.folder(company), 1)
    const others = await kept.start(await kept.folder(company), 12)
    await opened.client.execute(`update analyses set parameters = '{' where folder_number = 1`)
    kept.clock.nowMs += 3601_000
    await kept.housekeeping().beat()
    for (const id of others) expect(await rowOf(id)).toEqual(['FAILED', 3101])
    expect(kept.troubles).toHaveLength(1)
    await opened.client.execute(
      `update analyses set parameters = (select parameters from analyses where folder_number = 2) where folder_number = 1`,
    )
    await kept.housekeeping().beat()
    expect(await rowOf(damaged[0]!)).toEqual(['FAILED', 3101])
  })

  it('leaves an analysis whose worker gives a sign of life while others expire', async () => {
    const [id] = await kept.start(await kept.folder(company))
    for (let attempt = 1; attempt <= 2; attempt++) {
      await take()
      kept.clock.nowMs += 60_001
    }
    const { jobs } = (await take())!
    kept.clock.nowMs += 60_001
    const write = opened.database.write
    vi.spyOn(opened.database, 'write').mockImplementationOnce(async (work) => {
      await kept.parts.jobs.extend(
        jobs.map(({ job }) => job),
        kept.clock.nowMs + 60_000,
      )
      return write(work)
    })
    await kept.housekeeping().beat()
    expect(await rowOf(id!)).toEqual(['PROCESSING', null])
  })

  it('leaves an analysis whose worker ended with the service, however long that was down', async () => {
    const [id] = await kept.start(await kept.folder(company))
    const startedMs = kept.clock.nowMs
    await take()
    kept.clock.nowMs += 3000_000
    await kept.housekeeping().beat()
    expect(await rowOf(id!)).toEqual(['PROCESSING', null])
    // The next worker has all of its time.
    const { jobs } = (await take())!
    kept.clock.nowMs += 500_000
    const held = jobs.map(({ job }) => job)
    await kept.parts.jobs.extend(held, kept.clock.nowMs + 10_000)
    await kept.housekeeping().beat()
    expect([await rowOf(id!), kept.clock.nowMs - startedMs]).toEqual([['PROCESSING', null], 3500_000])
  })

  it('ends an analysis whose last worker died', async () => {
    const [id] = await kept.start(await kept.folder(company))
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect((await take())!.jobs[0]!.job.attempt).toBe(attempt)
      kept.clock.nowMs += 60_001
    }
    expect(await take()).toBeNull()
    const told: unknown[] = []
    const housekeeping = kept.housekeeping({ onAbandoned: (analysis) => told.push(analysis) })
    await housekeeping.beat()
    expect(await rowOf(id!)).toEqual(['FAILED', 3102])
    await housekeeping.beat()
    expect(told).toEqual([{ type: 'liveness', why: 'attemptsSpent' }])
  })

  it('leaves the last attempt its time', async () => {
    const [id] = await kept.start(await kept.folder(company))
    for (let attempt = 1; attempt <= 3; attempt++) {
      await take()
      kept.clock.nowMs += attempt < 3 ? 60_001 : 30_000
    }
    await kept.housekeeping().beat()
    expect(await rowOf(id!)).toEqual(['PROCESSING', null])
  })

  it('ends an analysis whose last worker died before the clock was set back', async () => {
    const [id] = await kept.start(await kept.folder(company))
    for (let attempt = 1; attempt <= 3; attempt++) {
      await take()
      kept.clock.nowMs += 60_001
    }
    kept.clock.nowMs -= 30 * dayMs
    await kept.housekeeping().beat()
    expect(await rowOf(id!)).toEqual(['FAILED', 3102])
  })

  it('removes folders that are too old, with their files, and no others', async () => {
    const old: string[] = []
    for (let i = 0; i < 3; i++) old.push((await kept.folder(company)).id)
    kept.clock.nowMs += 20 * dayMs
    const young = await kept.folder(company)
    await kept.housekeeping().beat()
    expect(await count('folders')).toBe(4)
    const removed: string[] = []
    const housekeeping = kept.housekeeping({
      retentionMs: 30 * dayMs,
      onFolderRemoved: (why) => removed.push(why),
    })
    kept.clock.nowMs += 10 * dayMs
    await housekeeping.beat()
    expect(await count('folders')).toBe(4)
    kept.clock.nowMs += 1
    await housekeeping.beat()
    const rows = await opened.database.read((queries) => queries.select().from(folders))
    expect(rows.map(({ id }) => id)).toEqual([young.id])
    expect(removed).toEqual(['age', 'age', 'age'])
    expect([await count('media'), await count('blob_removals')]).toEqual([1, 0])
    expect(kept.blobs.keys().every((key) => key.startsWith(young.id))).toBe(true)
    expect(kept.blobs.keys()).toHaveLength(2)
  })

  it('removes more old folders than it takes at once', async () => {
    for (let i = 0; i < 101; i++) await kept.folder(company)
    kept.clock.nowMs += 2 * dayMs
    await kept.housekeeping({ retentionMs: dayMs }).beat()
    expect(await count('folders')).toBe(0)
    expect(kept.blobs.keys()).toEqual([])
  })

  it.each(['age', 'company'])('a folder that cannot be removed stops no other one: by %s', async (why) => {
    const ids: string[] = []
    for (let i = 0; i < 4; i++) ids.push((await kept.folder(company)).id)
    await opened.client.execute(`create trigger stuck before delete on folders
      when old.number in (1, 3) begin select raise(abort, 'stuck'); end`)
    const housekeeping = kept.housekeeping({ retentionMs: why === 'age' ? dayMs : null })
    if (why === 'age') kept.clock.nowMs += 2 * dayMs
    else await kept.parts.companies.beginDeletion(company, kept.clock.nowMs)
    await housekeeping.beat()
    const left = async () =>
      (await opened.database.read((queries) => queries.select().from(folders))).map(({ id }) => id)
    expect(await left()).toEqual([ids[0], ids[2]])
    expect([kept.troubles.length, housekeeping.failedRemovals]).toEqual([2, 2])
    await housekeeping.beat()
    expect(housekeeping.failedRemovals).toBe(2)
    await opened.client.execute('drop trigger stuck')
    await housekeeping.beat()
    expect([await left(), kept.blobs.keys(), housekeeping.failedRemovals]).toEqual([[], [], 0])
    expect(await count('companies')).toBe(why === 'age' ? 1 : 0)
  })

  it.each(['age', 'company'])(
    'removes folders whose rows are damaged, with their files: by %s',
    async (why) => {
      for (let i = 0; i < 2; i++) await kept.start(await kept.folder(company))
      await opened.client.executeMultiple(`
      update media set tags = '{', metadata = '{', thumbnail = '{', sample = '{';
      update media set original = '{' where folder_number = 1;
      update folders set metadata = '{';
      update analyses set parameters = '{', metadata = '{', failure = '{', operator = '{'`)
      if (why === 'age') kept.clock.nowMs += 2 * dayMs
      else await kept.parts.companies.beginDeletion(company, kept.clock.nowMs)
      await kept.housekeeping({ retentionMs: why === 'age' ? dayMs : null }).beat()
      expect([await count('folders'), await count('media'), await count('blob_removals')]).toEqual([0, 0, 0])
      expect(kept.blobs.keys()).toEqual([])
    },
  )

  it('a damaged analysis stops no removal of files', async () => {
    const folder = await kept.folder(company)
    const [id] = await kept.start(folder)
    await opened.client.execute(`update analyses set state = ${stateNumber('FAILED')}, failure = '{'`)
    const [ofAnalysis, abandoned] = [id!, crypto.randomUUID()].map((owner) => `${folder.id}/${owner}.json`)
    await kept.blobs.put(abandoned!, Uint8Array.of(1), 'application/json')
    await kept.parts.ledger.registerPending([ofAnalysis!, abandoned!], kept.clock.nowMs)
    await kept.housekeeping().beat()
    expect([kept.troubles, await count('blob_removals')]).toEqual([[], 0])
    expect(kept.blobs.keys()).not.toContain(abandoned)
  })

  it('a damaged analysis stops no removal of personal data', async () => {
    const folder = await kept.folder(company)
    const [id] = await kept.start(folder)
    const state = stateNumber('FAILED')
    await opened.client.execute(`update analyses set state = ${state}, failure = '{', operator = '{'`)
    await clearFolder(kept.parts, folder.id)
    expect(kept.blobs.keys()).toEqual([])
    expect(await rowOf(id!)).toEqual(['FAILED', abandonments.dataRemoved.code])
  })

  it('counts a company that cannot be removed', async () => {
    await opened.client.execute(
      "create trigger stuck before delete on companies begin select raise(abort, 'stuck'); end",
    )
    await kept.parts.companies.beginDeletion(company, kept.clock.nowMs)
    const housekeeping = kept.housekeeping()
    await housekeeping.beat()
    expect([await count('companies'), housekeeping.failedRemovals]).toEqual([1, 1])
  })

  it('a database that is away is asked once, not for each folder', async () => {
    for (let i = 0; i < 5; i++) await kept.folder(company)
    kept.clock.nowMs += 2 * dayMs
    const away = new Error('away')
    const write = vi.spyOn(opened.database, 'write').mockRejectedValue(away)
    vi.spyOn(kept.parts.companies, 'system').mockRejectedValue(away)
    const removed: string[] = []
    await kept.housekeeping({ retentionMs: dayMs, onFolderRemoved: (why) => removed.push(why) }).beat()
    expect(removed).toEqual([])
    // One attempt at a folder, and one at the sessions.
    expect(write).toHaveBeenCalledTimes(2)
  })

  it('removes a company folder by folder, and leaves its neighbour', async () => {
    const other = await kept.company('Two')
    await kept.folder(company)
    const neighbour = await kept.folder(other)
    await kept.parts.companies.beginDeletion(company, kept.clock.nowMs)
    const removed: string[] = []
    await kept.housekeeping({ onFolderRemoved: (why) => removed.push(why) }).beat()
    expect(removed).toEqual(['company'])
    const rows = await opened.database.read((queries) => queries.select().from(folders))
    expect(rows).toMatchObject([{ id: neighbour.id, companyId: other }])
    expect(await count('companies')).toBe(1)
    expect(kept.blobs.keys().every((key) => key.startsWith(neighbour.id))).toBe(true)
  })

  it('removes rows that cannot be read together with others: sessions, tokens, telemetry, old removals', async () => {
    const { database, client } = opened
    const id = (n: number) => `x'${String(n).padStart(32, '0')}'`
    await client.execute(`insert into users (id, company_id, type, email, password_hash, created_at, updated_at, metadata)
      values (${id(1)}, (select id from companies limit 1), 0, 'a@example.com', '', 0, 0, '{')`)
    for (const n of [1, 2, 3]) {
      await client.execute(`insert into sessions (id, user_id, access_hash, expire_hash, ttl_ms, expires_at, created_at)
        values (${id(n)}, ${id(1)}, 'a${n}', 'e${n}', 'damaged', 5, 'damaged')`)
      await client.execute(`insert into used_session_tokens (id, expires_at) values ('${n}', 5)`)
      await client.execute(`insert into event_sessions (id, company_id, user_id, device, created_at, updated_at)
        values (${id(n)}, (select id from companies limit 1), ${id(1)}, '{', 5, 'damaged')`)
      await client.execute(
        `insert into session_events (session_id, name, sent, created_at) values (${id(n)}, 'e', '{', 5)`,
      )
      await client.execute(
        `insert into template_removals (collection_id, template_number, at) values (${id(n)}, 'damaged', 5)`,
      )
    }
    const sessions = new EventSessionService({
      eventSessions: new EventSessionStore(database),
      retentionMs: 1,
      nowMs: () => kept.clock.nowMs,
      randomId: () => crypto.randomUUID(),
    })
    const tokens = new UsedTokenStore(database)
    const templates = new TemplateStore(database, 'models')
    const also = [
      () => sessions.removeOld(),
      () => tokens.forgetExpired(kept.clock.nowMs),
      () => templates.forgetRemovals(kept.clock.nowMs),
    ]
    await kept.housekeeping({ also }).beat()
    expect(kept.troubles).toEqual([])
    for (const table of [
      'sessions',
      'used_session_tokens',
      'event_sessions',
      'session_events',
      'template_removals',
    ])
      expect([table, await count(table)]).toEqual([table, 0])
  })

  it('begins a round as soon as it is told that there is something to remove', async () => {
    const waits = { timeout: 3000, interval: 5 }
    let rounds = 0
    const housekeeping = kept.housekeeping({
      beatMs: 3600_000,
      also: [async () => void rounds++],
    })
    housekeeping.wake()
    expect(rounds).toBe(0)
    housekeeping.start()
    await vi.waitFor(() => expect(rounds).toBe(1), waits)
    const id = await kept.company('Doomed')
    await kept.parts.companies.beginDeletion(id, kept.clock.nowMs)
    housekeeping.wake()
    await vi.waitFor(async () => expect(await kept.parts.companies.find(id)).toBeNull(), waits)
    await housekeeping.stop()
    const ended = rounds
    housekeeping.wake()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(rounds).toBe(ended)
  })

  it.each(Array.from({ length: 8 }, (_, steps) => [steps]))(
    'begins another round soon if it is told so %i steps after the last duty',
    async (steps) => {
      let rounds = 0
      const tell = (left: number) => (left > 0 ? queueMicrotask(() => tell(left - 1)) : housekeeping.wake())
      const housekeeping = kept.housekeeping({
        beatMs: 3600_000,
        also: [async () => void (rounds++ === 0 && tell(steps))],
      })
      housekeeping.start()
      await vi.waitFor(() => expect(rounds).toBe(2), { timeout: 1000, interval: 5 })
      await housekeeping.stop()
    },
  )

  it('removes what an upload that broke off has left, in time', async () => {
    const key = `${crypto.randomUUID()}/${crypto.randomUUID()}.jpg`
    await kept.parts.ledger.registerPending([key], kept.clock.nowMs + 3600_000)
    await kept.blobs.put(key, Uint8Array.of(1), 'image/jpeg')
    const housekeeping = kept.housekeeping()
    await housekeeping.beat()
    expect(kept.blobs.keys()).toEqual([key])
    kept.clock.nowMs += 3600_000
    await housekeeping.beat()
    expect([kept.blobs.keys(), await count('blob_removals')]).toEqual([[], 0])
  })

  it('does the rest when the blob store is away, and comes back to it', async () => {
    const { id } = await kept.folder(company)
    const away = {
      ...kept.blobs,
      delete: async (keys: readonly string[]) => new Map(keys.map((key) => [key, new Error('away')])),
    }
    const old = kept.clock.nowMs
    kept.clock.nowMs += 2 * dayMs
    let others = 0
    await kept
      .housekeeping({
        files: new RecordFiles({ ...kept.filesDeps, blobs: away }),
        retentionMs: dayMs,
        also: [
          () => Promise.reject(new Error('this one fails')),
          async () => {
            others++
          },
        ],
      })
      .beat()
    expect(others).toBe(1)
    expect(kept.troubles).toEqual([new Error('this one fails')])
    expect(kept.undeleted.map(({ message }) => message)).toEqual(
      Array(await count('blob_removals')).fill('away'),
    )
    expect(kept.undeleted.length).toBeGreaterThan(2)
    expect(await kept.parts.folders.find(id)).toBeNull()
    expect(kept.blobs.keys()).toHaveLength(2)
    kept.clock.nowMs = old + 3 * dayMs
    await kept.housekeeping().beat()
    expect([kept.blobs.keys(), await count('blob_removals')]).toEqual([[], 0])
  })
})
