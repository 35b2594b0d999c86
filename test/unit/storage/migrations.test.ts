/** Databases are migrated once, whoever comes first; those of other releases are refused. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createClient } from '@libsql/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { knownMigrations, migrateDatabase } from '../../../src/platform/server-database.ts'
import { readDatabaseState } from '../../../src/storage/database-state.ts'
import { databaseUrlIn } from '../../fixtures/database.ts'
import { hasLibsqlServer, startLibsqlServer } from '../../fixtures/libsql-server.ts'
import { migrationsAnd } from '../../fixtures/migrations.ts'

describe('the state of a database', () => {
  const client = createClient({ url: ':memory:' })
  const stateAfter = async (applied: number[], known: number[]) => {
    await client.execute('delete from __drizzle_migrations')
    for (const at of applied)
      await client.execute({ sql: 'insert into __drizzle_migrations values (?)', args: [at] })
    return readDatabaseState(client, known)
  }

  beforeEach(() => client.execute('create table __drizzle_migrations (created_at)'))
  afterEach(() => client.execute('drop table __drizzle_migrations'))

  it.each([
    ['empty', [], [1, 2]],
    ['older', [1], [1, 2]],
    ['current', [2, 1], [1, 2]],
    ['newer', [1, 2, 3], [1, 2]],
    ['foreign', [0], [1, 2]],
    ['foreign', [0, 1, 2], [1, 2]],
    ['foreign', [1, 3], [1, 2]],
  ] as const)('is %s with migrations %j where the release has %j', async (state, applied, known) => {
    expect(await stateAfter([...applied], [...known])).toBe(state)
  })

  it.each([
    ['empty', '_litestream_seq'],
    ['foreign', 'customers'],
  ])('is %s without a table of migrations, beside the table %s', async (state, name) => {
    await client.execute(`alter table __drizzle_migrations rename to ${name}`)
    expect(await readDatabaseState(client, [1])).toBe(state)
    await client.execute(`alter table ${name} rename to __drizzle_migrations`)
  })
})

it('a case that an operator of 1.0.0 decided on the folder alone stays decided', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vivace-migrations-'))
  const client = createClient({ url: databaseUrlIn(folder) })
  try {
    await client.executeMultiple(await readFile('test/vectors/database/1.0.0.sql', 'utf8'))
    // After the decision on one analysis, that on the folder; one analysis has failed, and one is newer.
    await client.executeMultiple(`
      update folders set operator_status = 'SUCCESS', operator_comment = 'known', review_at = review_at + 1000 where number = 1;
      update analyses set state = 0, system_resolution = 1, resolution_status = 1 where number = 5;
      update analyses set created_at = created_at + 100000, system_resolution = 4, resolution_status = 4 where number = 3;`)
    await migrateDatabase(client, false, () => {})
    const read = async (sql: string) => (await client.execute(sql)).rows.map((row) => ({ ...row }))
    const decided = await read(
      `select number, resolution_status as result, operator ->> 'decision' as decision, operator ->> 'comment' as comment,
      operator ->> 'authorId' as author, operator ->> 'atMs' as at from analyses where folder_number = 1 order by number`,
    )
    const { author, at } = decided[0]!
    const onFolder = { decision: 'SUCCESS', comment: 'known', author, at: Number(at) + 1000 }
    const none = { decision: null, comment: null, author: null, at: null }
    expect(decided).toEqual([
      { number: 1, result: 0, decision: 'DECLINED', comment: 'drawn', author: expect.any(String), at },
      { number: 2, result: 6, ...none },
      { number: 3, result: 4, ...none },
      { number: 4, result: 6, ...onFolder },
      { number: 5, result: 1, ...onFolder },
    ])
    expect(await read('select length(analysis_ids) / 16 as analyses, status from decisions')).toEqual([
      { analyses: 1, status: 'DECLINED' },
      { analyses: 2, status: 'SUCCESS' },
    ])
    expect(
      await read(
        'select operator_status, waiting_required, waiting_declined, waiting_failed from folders where number = 1',
      ),
    ).toEqual([{ operator_status: 'SUCCESS', waiting_required: 1, waiting_declined: 0, waiting_failed: 0 }])
  } finally {
    client.close()
    await rm(folder, { recursive: true, force: true })
  }
})

it.skipIf(!hasLibsqlServer)(
  'replicas that start at once migrate a database once, and all of them open it',
  async () => {
    const server = await startLibsqlServer()
    const clients = Array.from({ length: 3 }, () => createClient({ url: server.url }))
    try {
      const migrateAll = (folder?: string) =>
        Promise.all(clients.map((client) => migrateDatabase(client, false, () => {}, folder)))
      await migrateAll()
      await migrateAll(await migrationsAnd('alter table users add more integer'))
      const { rows } = await clients[0]!.execute('select count(*) as applied from __drizzle_migrations')
      expect(Number(rows[0]!.applied)).toBe(knownMigrations().length + 1)
      await expect(migrateAll()).rejects.toMatchObject({ code: 'database_failed' })
    } finally {
      for (const client of clients) client.close()
      await server.close()
    }
  },
)
