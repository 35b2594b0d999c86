/** Databases are migrated once, whoever comes first; those of other releases are refused. */
import { createClient } from '@libsql/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { knownMigrations, migrateDatabase } from '../../../src/platform/server-database.ts'
import { readDatabaseState } from '../../../src/storage/database-state.ts'
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
