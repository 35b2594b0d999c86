import path from 'node:path'
import { createClient } from '@libsql/client'
import { sql } from 'drizzle-orm'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../../src/storage/database.ts'
import { openTestDatabase } from '../../fixtures/database.ts'

async function openBoth() {
  const opened = await openTestDatabase()
  const url = `file:${path.join(opened.folder, 'vivace.db')}`
  // Those of a server wait for nobody.
  const [client, other] = [createClient({ url }), createClient({ url })]
  onTestFinished(async () => {
    client.close()
    other.close()
    await opened.close()
  })
  await client.execute('create table words (word text)')
  return { database: openDatabase(client, true), client, other }
}

const insert = (word: string) => sql`insert into words values (${word})`

it('a write waits while another process writes, and later ones are not refused', async () => {
  const { database, client, other } = await openBoth()
  const writing = await other.transaction('write')
  setTimeout(() => void writing.rollback(), 300)
  await database.write((queries) => queries.run(insert('first')))
  const longer = await other.transaction('write')
  await expect(database.write((queries) => queries.run(insert('refused')))).rejects.toMatchObject({
    code: 'database_failed',
  })
  await longer.rollback()
  for (const word of ['second', 'third']) await database.write((queries) => queries.run(insert(word)))
  const { rows } = await client.execute('select word from words')
  expect(rows.map(({ word }) => word)).toEqual(['first', 'second', 'third'])
})

it('reads go on while another process writes', async () => {
  const { database, other } = await openBoth()
  const writing = await other.transaction('write')
  const count = () => database.read((queries) => queries.get(sql`select count(*) as n from words`))
  const refused = database.write((queries) => queries.run(insert('refused'))).catch(() => 'refused')
  const reads: unknown[] = []
  let isOver = false
  const reading = (async () => {
    while (!isOver) {
      reads.push(...(await Promise.all(Array.from({ length: 20 }, count))))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  expect(await refused).toBe('refused')
  isOver = true
  await reading
  await writing.rollback()
  expect(reads.length).toBeGreaterThan(100)
})

it('a damaged row is told apart from a database that does not answer, without what it holds', async () => {
  const { database } = await openBoth()
  const reading = database.read(async () => JSON.parse('{"name": "Ada'))
  await expect(reading).rejects.toMatchObject({
    code: 'database_failed',
    message: 'a query failed',
    cause: { message: 'a row is damaged' },
  })
})
