/** Guarantees of the stores that are easily broken: atomic writes, complete removal, leases, clocks. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { clearFolder, removeFolder, removeMedium } from '../../../src/folders/remove-folder.ts'
import { SecretStore } from '../../../src/storage/accounts/secret-store.ts'
import { UsageStore } from '../../../src/storage/accounts/usage-store.ts'
import { type Database, isDuplicate } from '../../../src/storage/database.ts'
import type { TakenFolder } from '../../../src/storage/folders/job-store.ts'
import { analyses, companies } from '../../../src/storage/schema.ts'
import { OutboxStore } from '../../../src/storage/webhooks/outbox-store.ts'
import { outbox as events } from '../../../src/storage/webhooks/webhook-schema.ts'
import { WebhookSecretStore } from '../../../src/storage/webhooks/webhook-secret-store.ts'
import { axisTemplate, madeUpAssessment } from '../../fixtures/assessments.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders } from '../../fixtures/kept-folders.ts'

const dayMs = 24 * 3600_000
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  )

describe('stores', () => {
  let opened: TestDatabase
  let database: Database
  let kept: KeptFolders
  let company: string

  beforeEach(async () => {
    opened = await openTestDatabase()
    database = opened.database
    kept = keepFolders(database)
    company = await kept.company('One')
  })
  afterEach(() => opened.close())

  const count = async (table: string): Promise<number> =>
    Number((await opened.client.execute(`select count(*) as n from ${table}`)).rows[0]!.n)
  const stored = async (): Promise<string> => {
    const names = await readdir(opened.folder)
    const texts = await Promise.all(names.map((name) => readFile(path.join(opened.folder, name), 'latin1')))
    return texts.join()
  }

  describe('webhook secrets', () => {
    let made = 0
    const store = () => new WebhookSecretStore(database, () => `whsec_${++made}`)

    it('a webhook secret is generated once per company', async () => {
      const other = await kept.company('Two')
      const found = await Promise.all([store(), store()].map((each) => each.findOrMake(company, 5)))
      expect(found[0]).toEqual(found[1])
      expect(found[0]).toMatchObject({ previous: null, createdAtMs: 5 })
      expect((await store().findOrMake(other, 5)).secret).not.toBe(found[0]!.secret)
    })

    it('a rotated webhook secret signs until its end', async () => {
      const { secret } = await store().findOrMake(company, 5)
      const { secret: second, previous } = await store().rotate(company, 10, 20)
      expect(second).not.toBe(secret)
      expect(previous).toEqual({ secret, untilMs: 20 })
      expect(await store().signing(company, 19)).toEqual([second, secret])
      expect(await store().signing(company, 20)).toEqual([second])
      const third = await store().rotate(company, 15, 25)
      expect(await store().signing(company, 16)).toEqual([third.secret, second])
    })

    it('webhook secrets are deleted with their company', async () => {
      await store().findOrMake(company, 5)
      await kept.parts.companies.delete(company)
      expect(await count('webhook_secrets')).toBe(0)
    })
  })

  describe('transactions', () => {
    it('a failed transaction leaves nothing and does not block the next one', async () => {
      const broken = new AppError('not_allowed')
      const failing = database.write(async (queries) => {
        await queries.update(companies).set({ name: 'Changed' }).where(eq(companies.id, company))
        throw broken
      })
      await expect(failing).rejects.toBe(broken)
      expect((await kept.parts.companies.find(company))!.name).toBe('One')
      await kept.parts.companies.update(company, { name: 'Two' }, 1)
      expect((await kept.parts.companies.find(company))!.name).toBe('Two')
    })

    it('concurrent transactions run one at a time', async () => {
      const { id } = await kept.folder(company)
      await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          kept.parts.folders.changeMetadata(id, (metadata) => ({ ...metadata, [`key${n}`]: n }), 1),
        ),
      )
      expect(Object.keys((await kept.parts.folders.find(id))!.metadata)).toHaveLength(50)
      expect(await count('folder_leaves')).toBe(50)
    })

    it('reads run while a transaction is open', async () => {
      let read: string | undefined
      await database.write(async (queries) => {
        await queries.update(companies).set({ name: 'Changed' })
        read = (await kept.parts.companies.find(company))!.name
      })
      expect(read).toBe('One')
    })

    it('database errors contain no values', async () => {
      const secret = 'a-word-of-a-caller'
      const error = await database
        .write((queries) => queries.run(sql`insert into companies (id, name) values (${secret}, ${secret})`))
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'database_failed' })
      const { message, stack, cause } = error as Error
      expect([message, stack, (cause as Error).message, (cause as Error).stack].join()).not.toContain(secret)
      expect(isDuplicate(error)).toBe(false)
    })
  })

  describe('a full database', () => {
    const fill = async () => {
      const { rows } = await opened.client.execute('pragma page_count')
      await opened.client.execute(`pragma max_page_count = ${Number(rows[0]!.page_count)}`)
    }

    it('a full database refuses writes whole, still reads, and recovers with free space', async () => {
      const { id } = await kept.folder(company)
      const before = [await count('folders'), await count('media')]
      const blobs = kept.blobs.keys()
      await fill()
      let code: unknown = 'ok'
      let written = 0
      for (; code === 'ok' && written < 200; written++) {
        const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, 'x'.repeat(200)]))
        code = await codeOf(kept.parts.folders.changeMetadata(id, () => ({ ...metadata, written }), 1))
      }
      expect(code).toBe('database_failed')
      let folders = 0
      while ((await codeOf(kept.folder(company))) === 'ok') folders++
      expect(await codeOf(kept.folder(company))).toBe('database_failed')
      expect([await count('folders'), await count('media')]).toEqual(before.map((n) => n + folders))
      expect((await kept.parts.folders.find(id))!.media).toHaveLength(1)
      await opened.client.execute('pragma max_page_count = 1000000')
      expect(await codeOf(kept.folder(company))).toBe('ok')
      // Files that an upload may have left are scheduled for deletion.
      kept.clock.nowMs += 3600_000
      await kept.housekeeping().beat()
      expect(kept.blobs.keys()).toHaveLength(blobs.length + 2 * (folders + 1))
      expect(await count('blob_removals')).toBe(0)
    })
  })

  describe('a blob store that fails', () => {
    it('a failing blob store leaves no record and no files', async () => {
      const { id } = await kept.folder(company)
      const before = kept.blobs.keys()
      let puts = 0
      const put = kept.blobs.put.bind(kept.blobs)
      kept.blobs.put = async (...blob) => {
        if (++puts === 2) throw new AppError('external_failed')
        return put(...blob)
      }
      expect(await codeOf(kept.folder(company))).toBe('external_failed')
      expect([await count('folders'), await count('media')]).toEqual([1, 1])
      await kept.housekeeping().beat()
      expect([kept.blobs.keys(), await count('blob_removals')]).toEqual([before, 0])
      expect((await kept.parts.folders.find(id))!.media).toHaveLength(1)
    })
  })

  describe('removal', () => {
    it('removal overwrites deleted data in the file', async () => {
      const word = (n: number) => `wordofafolder${n}.`
      const ids: string[] = []
      for (let n = 0; n < 60; n++) {
        const { id } = await kept.folder(company)
        ids.push(id)
        await kept.parts.folders.changeMetadata(id, () => ({ text: word(n).repeat(1 + (n % 40)) }), 1)
      }
      await database.scrub()
      expect(await stored()).toContain('wordofafolder')
      for (const [n, id] of ids.entries())
        await (n % 2 ? removeFolder(kept.parts, id) : clearFolder(kept.parts, id))
      await database.scrub()
      expect(await stored()).not.toContain('wordofafolder')
      expect(await stored()).not.toContain('a.jpg')
    })

    it('removal of personal data fails running analyses', async () => {
      const folder = await kept.folder(company, 'https://example.com/')
      await kept.start(folder, 2)
      await clearFolder(kept.parts, folder.id)
      const cleared = (await kept.parts.folders.find(folder.id))!
      expect(cleared.result).toEqual({ resolutionStatus: 'FAILED', systemResolution: 'FAILED' })
      expect(cleared.analyses).toHaveLength(2)
      for (const { outcome } of cleared.analyses) expect(outcome).toMatchObject({ failure: { code: 3105 } })
      expect(await count('outbox')).toBe(0)
      expect(await codeOf(kept.start(folder))).toBe('not_allowed')
    })

    const at = (nowMs: number) => ({ eventId: null, nowMs })
    const remark = (comment: string) => ({
      ...{ id: crypto.randomUUID(), authorId: crypto.randomUUID(), on: 'nothing' as const },
      ...{ comment, reason: null, needsSecond: false },
    })

    it('fields and metadata of a folder change together or not at all', async () => {
      const { folders } = kept.parts
      const { id } = await kept.folder(company)
      await folders.update(id, {}, at(1), (old) => ({ ...old, a: 1 }), remark('seen'))
      const changed = await folders.find(id)
      expect(changed).toMatchObject({ metadata: { a: 1 }, review: { comment: 'seen' }, updatedAtMs: 1 })
      const refuse = () => {
        throw new AppError('value_invalid')
      }
      expect(await codeOf(folders.update(id, {}, at(2), refuse, remark('never')))).toBe('value_invalid')
      expect(await folders.find(id)).toEqual(changed)
      await clearFolder(kept.parts, id)
      expect(await codeOf(folders.update(id, {}, at(3), () => ({ a: 2 })))).toBe('not_allowed')
      expect(await folders.find(id)).toMatchObject({ metadata: {}, updatedAtMs: kept.clock.nowMs })
    })

    it('removal of personal data refuses changes that began before', async () => {
      const { folders } = kept.parts
      const { id } = await kept.folder(company)
      await clearFolder(kept.parts, id)
      const words = [{}, at(1), null, remark('a neighbour')] as const
      expect(await codeOf(folders.update(id, ...words))).toBe('not_allowed')
      expect(await codeOf(folders.changeMetadata(id, () => ({ a: 'a neighbour' }), 1))).toBe('not_allowed')
      expect(await folders.find(id)).toMatchObject({ metadata: {}, review: { comment: null } })
      expect(await count('folder_leaves')).toBe(0)
      expect(await codeOf(folders.update(crypto.randomUUID(), ...words))).toBe('not_found')
    })

    it('removal of a medium is refused while an analysis uses it', async () => {
      const folder = await kept.folder(company)
      const [medium] = folder.media
      await kept.start(folder)
      expect(await codeOf(removeMedium(kept.parts, folder.id, medium!.id))).toBe('not_allowed')
      expect(await count('media')).toBe(1)
      expect(kept.blobs.keys()).toHaveLength(2)
    })

    it('removal spares files of existing media, even if scheduled', async () => {
      await kept.folder(company)
      const keys = kept.blobs.keys()
      await kept.parts.ledger.registerPending(keys, kept.clock.nowMs)
      await kept.housekeeping().beat()
      expect([kept.blobs.keys(), await count('blob_removals')]).toEqual([keys, 0])
    })
  })

  describe('jobs', () => {
    const take = (lease: string, now = kept.clock.nowMs) => kept.take(company, lease, now)
    const jobsOf = (taken: TakenFolder | null) => taken?.jobs.map(({ job }) => job) ?? []

    it('a job goes to one of many workers', async () => {
      for (let n = 0; n < 3; n++) await kept.start(await kept.folder(company))
      const taken = await Promise.all(Array.from({ length: 8 }, (_, n) => take(`worker ${n}`)))
      const ids = taken.flatMap(jobsOf).map(({ analysisId }) => analysisId)
      expect(new Set(ids).size).toBe(3)
      expect(ids).toHaveLength(3)
    })

    it('a worker that lost its lease can neither extend nor finish a job', async () => {
      const folder = await kept.folder(company)
      const [id] = await kept.start(folder)
      const [lost] = jobsOf(await take('one'))
      kept.clock.nowMs += 60_001
      const [taken] = jobsOf(await take('two'))
      expect(taken).toMatchObject({ analysisId: id, attempt: 2 })
      const { jobs } = kept.parts
      const announcement = { eventId: crypto.randomUUID(), nowMs: 1 }
      const dueAt = async () => (await database.read((queries) => queries.select().from(analyses)))[0]!.dueAt
      const before = await dueAt()
      await jobs.extend([lost!], kept.clock.nowMs + 60_001)
      expect(await dueAt()).toBe(before)
      for (const end of [
        { kind: 'later', atMs: 0, isAttempt: true },
        { kind: 'later', atMs: 0, isAttempt: false },
        { kind: 'abandoned', why: 'attemptsSpent' },
      ] as const) {
        const stored = await jobs.settle(folder.id, [{ job: lost!, end }], [], 'these', announcement)
        expect(stored.analyses.size).toBe(0)
      }
      const [row] = await database.read((queries) => queries.select().from(analyses))
      expect(row).toMatchObject({ state: 'PROCESSING', attempts: 2, leasedBy: 'two' })
      await jobs.extend([taken!], kept.clock.nowMs + 90_000)
      expect(await dueAt()).toBe(kept.clock.nowMs + 90_000)
    })

    it('jobs of an ended process are freed at the next start', async () => {
      await kept.start(await kept.folder(company))
      await take('one')
      expect(await take('two')).toBeNull()
      await kept.parts.jobs.freeAll(kept.clock.nowMs)
      expect(jobsOf(await take('two'))).toMatchObject([{ attempt: 2 }])
    })

    it('jobs are taken after the clock was set back', async () => {
      await kept.start(await kept.folder(company))
      const earlier = kept.clock.nowMs - dayMs
      expect(await kept.parts.jobs.waiting(earlier, 60_000)).toEqual([company])
      expect(await take('one', earlier)).not.toBeNull()
      expect(await take('two', earlier)).toBeNull()
    })
  })

  describe('the outbox', () => {
    const event = async (id: string, dueAt: number, companyId: string | null = company) => {
      const folder = await kept.folder(company)
      const row = { id, folderId: folder.id, companyId, url: 'https://example.com/', dueAt, createdAt: dueAt }
      await database.write((queries) => queries.insert(events).values(row))
    }
    const [a, b] = [crypto.randomUUID(), crypto.randomUUID()]
    const eight = { max: 8, perCompanyMax: 8, except: [] }
    const ids = (events: { id: string }[]) => events.map(({ id }) => id)

    it('an event goes to one replica until its lease ends', async () => {
      const outbox = new OutboxStore(database)
      const now = kept.clock.nowMs
      await event(a, now)
      await event(b, now + 1)
      expect(ids(await outbox.take(now, 1000, eight))).toEqual([a])
      expect(ids(await outbox.take(now, 1000, eight))).toEqual([])
      expect(ids(await outbox.take(now + 1000, 1000, eight))).toEqual([b, a])
    })

    it('takes a few events per company, including none, and skips excluded companies', async () => {
      const outbox = new OutboxStore(database)
      const now = kept.clock.nowMs
      const companies = [company, crypto.randomUUID(), crypto.randomUUID(), null]
      for (const [i, companyId] of companies.entries())
        for (let j = 0; j < 5; j++) await event(crypto.randomUUID(), now - 100 + 10 * i + j, companyId)
      const perCompanyMax = 2
      expect(await outbox.take(now, 1000, { max: 7, perCompanyMax, except: [companies[1]!] })).toHaveLength(6)
      expect(await outbox.take(now, 1000, { max: 7, perCompanyMax, except: [null] })).toHaveLength(6)
      expect(await outbox.take(now, 1000, { max: 5, perCompanyMax, except: [] })).toHaveLength(5)
      expect(await outbox.take(now, 1000, { max: 20, perCompanyMax: 20, except: [] })).toHaveLength(3)
    })

    it('logs the attempt of a late replica, and continues with the newer one', async () => {
      const outbox = new OutboxStore(database)
      const now = kept.clock.nowMs
      await event(a, now)
      await outbox.settle(a, 1, { status: 500, reason: 'status_refused' }, now, now + 10)
      await outbox.settle(a, 1, { status: 200, reason: null }, now, null)
      expect(await outbox.take(now + 10, 1000, eight)).toMatchObject([{ id: a, attempt: 2 }])
      await outbox.settle(a, 2, { status: 200, reason: null }, now, null)
      expect([await count('outbox'), await count('deliveries')]).toEqual([0, 3])
    })

    it('an event that was given up is queued once more, for the present address of its folder', async () => {
      const outbox = new OutboxStore(database)
      const now = kept.clock.nowMs
      await event(a, now)
      const folderId = (await outbox.take(now, 1000, eight))[0]!.folderId!
      await outbox.settle(a, 1, { status: 500, reason: 'status_refused' }, now, null)
      expect(await outbox.findAttempted({ folderId }, b)).toBeNull()
      expect(await outbox.findAttempted({ folderId: crypto.randomUUID() }, a)).toBeNull()
      const attempted = await outbox.findAttempted({ folderId }, a)
      const told = { folderId, linkId: null, state: null }
      expect(attempted).toEqual({ id: a, ...told, companyId: company, attempt: 1, url: null })
      await outbox.repeat(attempted!, 'https://example.org/', now)
      await outbox.repeat(attempted!, 'https://example.org/', now - 5)
      expect(await outbox.take(now, 1000, eight)).toMatchObject([
        { id: a, attempt: 2, url: 'https://example.org/', createdAtMs: now },
      ])
      await outbox.settle(a, 2, { status: 200, reason: null }, now, null)
      expect([await count('outbox'), await count('deliveries')]).toEqual([0, 2])
    })

    it('an attempt that waits goes now when it is asked for, to the present address', async () => {
      const outbox = new OutboxStore(database)
      const now = kept.clock.nowMs
      await event(a, now)
      const folderId = (await outbox.take(now, 1000, eight))[0]!.folderId!
      await outbox.settle(a, 1, { status: 500, reason: 'status_refused' }, now, now + 60_000)
      expect(ids(await outbox.take(now, 1000, eight))).toEqual([])
      await outbox.repeat((await outbox.findAttempted({ folderId }, a))!, 'https://example.org/', now)
      const due = { id: a, attempt: 2, url: 'https://example.org/' }
      expect(await outbox.take(now, 1000, eight)).toMatchObject([due])
      // While it is sent, another replica must not send it as well.
      await outbox.repeat((await outbox.findAttempted({ folderId }, a))!, 'https://example.org/', now)
      expect(await outbox.take(now, 1000, eight)).toEqual([])
      expect(await outbox.take(now + 1000, 1000, eight)).toMatchObject([due])
    })

    it('events are taken after the clock was set back', async () => {
      const outbox = new OutboxStore(database)
      const now = kept.clock.nowMs
      await event(a, now + 60_000)
      expect(ids(await outbox.take(now, 1000, eight))).toEqual([])
      expect(ids(await outbox.take(now - dayMs, 1000, eight))).toEqual([a])
    })
  })

  it('stores return templates unchanged', async () => {
    const folder = await kept.folder(company)
    const [medium] = folder.media
    const vector = axisTemplate(3, 0.1).map((value) => value / 3)
    const found = { ...madeUpAssessment({ attack: 0.25, vector }), print: [1.25, 255, 0] }
    const models = { key: 'these', profile: found.profile }
    const shots = { bestShot: null, actionShot: null, actionGesture: 'smile' } as const
    const findings = { mediumId: medium!.id, found, ...shots }
    const announcement = { eventId: null, nowMs: kept.clock.nowMs }
    await kept.parts.jobs.settle(folder.id, [], [{ findings, medium: medium! }], models.key, announcement)
    const read = await kept.parts.media.findings(medium!.id, models)
    const { profile, quarterTurns, faces, subject, clip, print } = found
    expect(read).toEqual({
      mediumId: medium!.id,
      found: { profile, quarterTurns, faces, subject, clip, print },
      bestShot: null,
      actionShot: null,
      actionGesture: 'smile',
      portrait: null,
    })
    expect(await kept.parts.media.findings(medium!.id, { ...models, key: 'others' })).toBeNull()
  })

  it('stores find many companies at once, ignoring missing ones', async () => {
    const other = await kept.company('Two')
    const found = await kept.parts.companies.findAll([company, other, crypto.randomUUID()])
    expect([...found].map(([id, { name }]) => [id, name]).sort()).toEqual(
      [
        [company, 'One'],
        [other, 'Two'],
      ].sort(),
    )
    expect((await kept.parts.companies.findAll([])).size).toBe(0)
  })

  it('a secret is generated once with concurrent callers', async () => {
    const secrets = new SecretStore(database)
    let made = 0
    const values = await Promise.all(
      Array.from({ length: 5 }, () => secrets.findOrMake('name', () => `value ${++made}`)),
    )
    expect(new Set(values).size).toBe(1)
  })

  it('usage is counted by company and UTC day', async () => {
    const usage = new UsageStore(database)
    const midnight = Date.UTC(2030, 0, 2)
    await Promise.all([
      usage.add(company, ['liveness', 'liveness', 'verification'], midnight - 1),
      usage.add(company, ['liveness'], midnight),
    ])
    const { rows } = await opened.client.execute('select day, type, count from usage order by day, type')
    expect(rows.map(({ day, type, count: n }) => [day, type, n])).toEqual([
      ['2030-01-01', 'BIOMETRY', 1],
      ['2030-01-01', 'QUALITY', 2],
      ['2030-01-02', 'QUALITY', 1],
    ])
  })
})
