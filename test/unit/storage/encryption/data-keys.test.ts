import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CollectionStore } from '../../../../src/storage/collections/collection-store.ts'
import type { Database } from '../../../../src/storage/database.ts'
import { DataKeys, dropDataKey, requireKeks, useKeks } from '../../../../src/storage/encryption/data-keys.ts'
import { FolderStore } from '../../../../src/storage/folders/folder-store.ts'
import { newKek } from '../../../fixtures/data-keys.ts'
import { openTestDatabase, type TestDatabase } from '../../../fixtures/database.ts'

const nowMs = () => Date.UTC(2026, 10, 29)
const dayMs = 24 * 3600_000

let opened: TestDatabase
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

const owner = crypto.randomUUID()
const text = (value: string) => new TextEncoder().encode(value)

async function count(): Promise<number> {
  const { rows } = await opened.client.execute('select count(*) as keys from data_keys')
  return Number(rows[0]?.keys)
}

describe('data keys', () => {
  it('are made once, however many ask for one at the same time', async () => {
    const kek = await newKek()
    const replicas = [1, 2].map(() => new DataKeys(opened.database, [kek], nowMs))
    const asked = [...replicas, ...replicas, ...replicas].map((keys) =>
      keys.encrypt(owner, 'a', text('secret')),
    )
    const sealed = await Promise.all(asked)
    expect(await count()).toBe(1)
    const fresh = new DataKeys(opened.database, [kek], nowMs)
    for (const bytes of sealed) expect(await fresh.decrypt(owner, 'a', bytes)).toEqual(text('secret'))
  })

  it('are gone with their owner, also for one who opens the database anew', async () => {
    const kek = await newKek()
    const keys = new DataKeys(opened.database, [kek], nowMs)
    const sealed = await keys.encrypt(owner, 'a', text('secret'))
    await opened.database.write((queries) => dropDataKey(queries, owner))
    const fresh = new DataKeys(opened.database, [kek], nowMs)
    expect([await fresh.find(owner), await fresh.decrypt(owner, 'a', sealed)]).toEqual([null, null])
  })

  it('are gone from the memory of who removes their owner, and of others within ten seconds', async () => {
    const kek = await newKek()
    let now = nowMs()
    const [own, other] = [1, 2].map(() => new DataKeys(opened.database, [kek], () => now)) as [
      DataKeys,
      DataKeys,
    ]
    const folders = new FolderStore(opened.database, own)
    const collections = new CollectionStore(opened.database, own)
    const remove = {
      folder: (id: string) => folders.delete(id, now, async () => {}),
      data: (id: string) => folders.clear(id, now, async () => {}),
      collection: (id: string) => collections.delete(id),
    }
    for (const [what, removal] of Object.entries(remove)) {
      const id = crypto.randomUUID()
      for (const keys of [own, other]) await keys.obtain(id)
      await removal(id)
      expect([what, await own.find(id)]).toEqual([what, null])
      now += 10_000
      expect([what, await other.find(id)]).toEqual([what, null])
    }
  })

  it('are read again while they are used, by one who asks at a time', async () => {
    let now = nowMs()
    let reads = 0
    const counted: Database = {
      ...opened.database,
      read(work) {
        reads++
        return opened.database.read(work)
      },
    }
    const keys = new DataKeys(counted, [await newKek()], () => now)
    await keys.obtain(owner)
    for (let round = 1; round <= 2; round++) {
      now += 10_000
      const found = await Promise.all(Array.from({ length: 20 }, () => keys.find(owner)))
      expect([reads, found.includes(null)]).toEqual([round, false])
    }
  })

  it('are wrapped again by the first key, after which the former one is needed no more', async () => {
    const [former, next] = await Promise.all([newKek('2025'), newKek('2026')])
    const before = new DataKeys(opened.database, [former], nowMs)
    const owners = Array.from({ length: 3 }, () => crypto.randomUUID())
    const sealed = await Promise.all(owners.map((id) => before.encrypt(id, 'a', text(id))))
    const during = new DataKeys(opened.database, [next, former], nowMs)
    expect(await during.decrypt(owners[0]!, 'a', sealed[0]!)).toEqual(text(owners[0]!))
    expect([await during.rewrap(), await during.rewrap()]).toEqual([
      { rewrapped: 3, unopened: 0 },
      { rewrapped: 0, unopened: 0 },
    ])
    const after = new DataKeys(opened.database, [next], nowMs)
    await requireKeks(opened.database, [next])
    for (const [place, id] of owners.entries())
      expect(await after.decrypt(id, 'a', sealed[place]!)).toEqual(text(id))
    const late = new DataKeys(opened.database, [former], nowMs)
    await expect(late.decrypt(owners[0]!, 'a', sealed[0]!)).rejects.toMatchObject({ code: 'database_failed' })
  })

  it('are wrapped again but for one that does not open, which stops no other', async () => {
    const [former, next] = await Promise.all([newKek('2025'), newKek('2026')])
    const keks = [former, await newKek('2025'), former] as const
    for (const kek of keks) await new DataKeys(opened.database, [kek], nowMs).obtain(crypto.randomUUID())
    const keys = new DataKeys(opened.database, [next, former], nowMs)
    expect(await keys.rewrap()).toEqual({ rewrapped: 2, unopened: 1 })
    expect(await keys.rewrap()).toEqual({ rewrapped: 0, unopened: 1 })
  })

  it('of uploads that never became a folder are forgotten after a day', async () => {
    const kek = await newKek()
    const keys = new DataKeys(opened.database, [kek], nowMs)
    await keys.obtain(owner)
    await keys.rewrap()
    expect(await count()).toBe(1)
    await new DataKeys(opened.database, [kek], () => nowMs() + dayMs + 1).rewrap()
    expect(await count()).toBe(0)
  })

  it('must all have the key that wrapped them', async () => {
    const [former, next] = await Promise.all([newKek('2025'), newKek('2026')])
    await requireKeks(opened.database, [])
    await new DataKeys(opened.database, [former], nowMs).obtain(owner)
    await new DataKeys(opened.database, [next], nowMs).obtain(crypto.randomUUID())
    await requireKeks(opened.database, [next, former])
    for (const [keks, id] of [
      [[], '2025'],
      [[former], '2026'],
      [[former, await newKek('2026')], '2026'],
    ] as const)
      await expect(requireKeks(opened.database, keks)).rejects.toMatchObject({
        code: 'value_invalid',
        message: expect.stringContaining(id),
      })
  })

  it('are of one key for each id: of servers that first start with others, one starts', async () => {
    const [a, b, other] = await Promise.all([newKek('k1'), newKek('k1'), newKek('k2')])
    const { database } = opened
    const refused = { code: 'value_invalid', message: expect.stringContaining('k1') }
    const starts = await Promise.allSettled([useKeks(database, [a]), useKeks(database, [other, b])])
    expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const isFirst = starts[0].status === 'fulfilled'
    await useKeks(database, [isFirst ? a : b, other])
    const second = isFirst ? b : a
    for (const check of [useKeks, requireKeks])
      await expect(check(database, [other, second])).rejects.toMatchObject(refused)
    await requireKeks(database, [])
    await requireKeks(database, [await newKek('k3')])
    await useKeks(database, [await newKek('k3')])
  })
})
