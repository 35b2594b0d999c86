/** Removed rows are overwritten in the file of a local database and in its log. */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { type Client, createClient } from '@libsql/client'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openWriteAheadLog } from '../../../src/platform/write-ahead-log.ts'
import { type Database, openDatabase } from '../../../src/storage/database.ts'
import { clearGap } from '../../../src/storage/page-gaps.ts'
import type { WriteAheadLog } from '../../../src/storage/scrubber.ts'
import { generator } from '../../../tools/soak/hostile-files.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'

let opened: TestDatabase
/** Waits for nobody, as that of a server. */
let client: Client
let file: string
let log: WriteAheadLog
let database: Database

beforeEach(async () => {
  opened = await openTestDatabase()
  file = path.join(opened.folder, 'vivace.db')
  log = openWriteAheadLog(file)
  client = createClient({ url: `file:${file}` })
  database = openDatabase(client, true, { log })
  await opened.client.execute('create table words (id integer primary key, word text unique, more text)')
})
afterEach(async () => {
  client.close()
  await opened.close()
})

const logBytes = async () => (await stat(`${file}-wal`)).size
const content = async () =>
  (await Promise.all([file, `${file}-wal`].map((name) => readFile(name, 'latin1')))).join('')

const random = generator(1)
const wordOf = (id: number) => `word${Math.floor(random() * 1e9)}q${id}q`
const insert = (rows: readonly { id: number; word: string; more: string }[]) =>
  database.write(async (queries) => {
    for (const { id, word, more } of rows)
      await queries.run(sql`insert into words values (${id}, ${word}, ${more})`)
  })

/** Adds rows of many sizes in random order of their words, changes some, and removes half of them. */
async function churn() {
  const rows = Array.from({ length: 2000 }, (_, id) => ({
    id,
    word: wordOf(id) + '.'.repeat(random() * 200),
    more: '-'.repeat(random() * 500),
  }))
  for (let at = 0; at < rows.length; at += 100) await insert(rows.slice(at, at + 100))
  await database.write(async (queries) => {
    for (const { id } of rows.filter((row) => row.id % 5 === 0))
      await queries.run(sql`update words set more = ${'+'.repeat(random() * 3000)} where id = ${id}`)
  })
  const removed = rows.filter((row) => row.id % 2 === 1)
  await database.write(async (queries) => {
    for (const { id } of removed) await queries.run(sql`delete from words where id = ${id}`)
  })
  return { removed, kept: rows.filter((row) => row.id % 2 === 0) }
}

const occurring = (rows: readonly { word: string }[], text: string) =>
  rows.filter(({ word }) => text.includes(word.replace(/\.+$/, '')))

describe('scrubbing', () => {
  it('leaves nothing of removed rows, neither in gaps of pages nor in the log, and keeps the others', async () => {
    // Without it the engine leaves copies of rows that it has moved: the test tests something.
    const plain = openDatabase(client, true)
    const first = await (async () => {
      const scrubbed = database
      database = plain
      const churned = await churn()
      database = scrubbed
      return churned
    })()
    expect(await plain.scrub()).toBe(true)
    expect(occurring(first.removed, await content()).length).toBeGreaterThan(0)
    await opened.client.execute('delete from words')
    const { removed, kept } = await churn()
    expect(await database.scrub()).toBe(true)
    expect(await logBytes()).toBe(0)
    const text = await content()
    expect(occurring(removed, text)).toEqual([])
    expect(occurring(kept, text)).toHaveLength(kept.length)
    const { rows } = await opened.client.execute('select word from words order by id')
    expect(rows.map(({ word }) => word)).toEqual(kept.map(({ word }) => word))
    expect((await opened.client.execute('pragma integrity_check')).rows).toEqual([{ integrity_check: 'ok' }])
  })

  it('is done by a write that makes the log long, before the engine writes pages back', async () => {
    const sizes: number[] = []
    for (let id = 0; id < 30; id++) {
      await insert([{ id, word: wordOf(id), more: 'x'.repeat(300_000) }])
      sizes.push(await logBytes())
    }
    expect(Math.max(...sizes)).toBeLessThan(5 * 2 ** 20)
    expect(sizes).toContain(0)
    await opened.client.execute('delete from words')
    const { removed } = await churn()
    await database.scrub()
    expect(occurring(removed, await content())).toEqual([])
  })

  it('once serves all who ask while it waits for its turn', async () => {
    const newPages = vi.spyOn(log, 'newPages')
    await insert([{ id: 1, word: 'one', more: '' }])
    expect(await Promise.all(Array.from({ length: 20 }, () => database.scrub()))).toEqual(
      Array(20).fill(true),
    )
    expect(newPages.mock.calls.length).toBeLessThanOrEqual(2)
  })

  it('waits a moment for another reader, then leaves it to the next time', async () => {
    const other = createClient({ url: `file:${file}` })
    const reading = await other.transaction('read')
    await reading.execute('select count(*) from words')
    await insert([{ id: 1, word: 'a neighbour', more: '' }])
    await database.write((queries) => queries.run(sql`delete from words`))
    const timed = async () => {
      const startMs = performance.now()
      return { isDone: await database.scrub(), ms: performance.now() - startMs }
    }
    const first = await timed()
    expect(first).toMatchObject({ isDone: false })
    expect(first.ms).toBeGreaterThan(700)
    const second = await timed()
    expect(second).toMatchObject({ isDone: false })
    expect(second.ms).toBeLessThan(500)
    reading.close()
    expect(await database.scrub()).toBe(true)
    expect(await content()).not.toContain('a neighbour')
    other.close()
  })

  it('is put off by another writer, and misses no page', async () => {
    const { removed } = await churn()
    const other = createClient({ url: `file:${file}` })
    const writing = await other.transaction('write')
    expect(await database.scrub()).toBe(false)
    await writing.rollback()
    other.close()
    expect(await database.scrub()).toBe(true)
    expect(occurring(removed, await content())).toEqual([])
  })
})

describe('the write-ahead log', () => {
  it('tells each page that was committed once, also where a transaction was rolled back before', async () => {
    await database.scrub()
    expect(await log.newPages()).toEqual([])
    await insert([{ id: 1, word: 'one', more: '' }])
    const first = await log.newPages()
    expect(first.length).toBeGreaterThan(0)
    expect(await log.newPages()).toEqual([])
    // Pages that do not fit into the cache are written before the transaction ends.
    const small = createClient({ url: `file:${file}`, concurrency: 1 })
    await small.execute('pragma cache_size = 5')
    const undone = await small.transaction('write')
    for (let id = 100; id < 140; id++)
      await undone.execute({
        sql: 'insert into words values (?, ?, ?)',
        args: [id, `w${id}`, 'x'.repeat(9000)],
      })
    await undone.rollback()
    small.close()
    await log.newPages()
    await insert([{ id: 2, word: 'two', more: 'y'.repeat(20_000) }])
    const second = await log.newPages()
    const fresh = await openWriteAheadLog(file).newPages()
    expect(second.length).toBeGreaterThan(5)
    expect([...new Set(fresh)].sort()).toEqual([...new Set([...first, ...second])].sort())
    await opened.client.execute('pragma wal_checkpoint(truncate)')
    expect([await log.newPages(), await log.size()]).toEqual([[], 0])
    await insert([{ id: 3, word: 'three', more: '' }])
    expect((await log.newPages()).length).toBeGreaterThan(0)
  })

  it('that does not exist is empty', async () => {
    const none = openWriteAheadLog(path.join(opened.folder, 'none.db'))
    expect([await none.size(), await none.newPages()]).toEqual([0, []])
  })
})

describe('a page', () => {
  const page = (type: number, cells: number, contentAt: number) => {
    const bytes = new Uint8Array(512).fill(7)
    bytes[0] = type
    new DataView(bytes.buffer).setUint16(3, cells)
    new DataView(bytes.buffer).setUint16(5, contentAt)
    return bytes
  }

  it.each([
    [13, 8],
    [10, 8],
    [5, 12],
    [2, 12],
  ])('of type %i has its gap behind %i bytes and the list of cells', (type, header) => {
    const bytes = page(type, 3, 400)
    const before = bytes.slice()
    expect(clearGap(bytes)).toBe(true)
    expect(bytes.subarray(0, header + 6)).toEqual(before.subarray(0, header + 6))
    expect(bytes.subarray(header + 6, 400).every((byte) => byte === 0)).toBe(true)
    expect(bytes.subarray(400)).toEqual(before.subarray(400))
    expect(clearGap(bytes)).toBe(false)
  })

  it.each([
    ['is none of a tree', page(0, 3, 400)],
    ['has no gap', page(13, 196, 400)],
    ['is damaged', page(13, 3, 600)],
    ['has more cells than room', page(13, 9000, 400)],
  ])('that %s stays as it is', (_, bytes) => {
    const before = bytes.slice()
    expect([clearGap(bytes), bytes]).toEqual([false, before])
  })
})
