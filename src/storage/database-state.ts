/** The state of a database at the start, and why it cannot be opened. */
import type { Client } from '@libsql/client'
import { AppError } from '../errors.ts'

/** Creation times of the applied migrations in their order; none for a new database. */
export async function appliedMigrations(client: Pick<Client, 'execute'>): Promise<number[]> {
  const table = "select 1 from sqlite_schema where name = '__drizzle_migrations'"
  if ((await client.execute(table)).rows.length === 0) return []
  const { rows } = await client.execute('select created_at as at from __drizzle_migrations order by at')
  return rows.map(({ at }) => Number(at))
}

/** How a database compares with a release. `foreign`: it was made by other migrations, such as those of versions before 1.0.0. */
export type DatabaseState = 'empty' | 'older' | 'current' | 'newer' | 'foreign'

/** Whether there are tables, apart from those that engines and their tools keep for themselves. */
async function hasTables(client: Pick<Client, 'execute'>): Promise<boolean> {
  const tables = "select name from sqlite_schema where type = 'table'"
  const { rows } = await client.execute(tables)
  return rows.some(({ name }) => !/^(?:sqlite_|libsql_|_)/.test(String(name)))
}

/** @param known creation times of the migrations of the release, in their order */
export async function readDatabaseState(
  client: Pick<Client, 'execute'>,
  known: readonly number[],
): Promise<DatabaseState> {
  const applied = await appliedMigrations(client)
  if (applied.length === 0) return (await hasTables(client)) ? 'foreign' : 'empty'
  if (applied.some((at, index) => index < known.length && at !== known[index])) return 'foreign'
  if (applied.length === known.length) return 'current'
  return applied.length < known.length ? 'older' : 'newer'
}

/** @throws {AppError} `database_failed` if this release cannot use a database in this state */
export function requireUsable(state: DatabaseState): void {
  if (state === 'newer')
    throw new AppError(
      'database_failed',
      'The database is of a newer release than this one: start that release, or restore a backup of this one',
    )
  if (state === 'foreign')
    throw new AppError(
      'database_failed',
      'The database was made by a version before 1.0.0, or is not of this software: move it away and start with an empty one',
    )
}

/** The codes of an error and its causes. Messages are left out, since they contain addresses. */
function collectCodes(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const { code, status, cause } = error as { code?: unknown; status?: unknown; cause?: unknown }
  const own = typeof code === 'string' ? [code] : typeof status === 'number' ? [`HTTP ${status}`] : []
  return [...own, ...collectCodes(cause)]
}

/** The error codes of the engine, such as `SQLITE_NOTADB`; the name of the error if it has none. */
export function describeDatabaseError(error: unknown): string {
  const codes = [...new Set(collectCodes(error))]
  if (codes.length > 0) return codes.join(', ')
  if (!(error instanceof Error)) return 'unknown'
  // Node's `fetch` refuses some ports so, without a code.
  return error.message === 'fetch failed' ? 'no connection' : error.name
}
