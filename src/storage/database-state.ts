/** The state of a database at the start, and why it cannot be opened. */
import type { Client } from '@libsql/client'

/** Creation time of the newest applied migration; `null` for a new database. */
export async function newestMigration(client: Pick<Client, 'execute'>): Promise<number | null> {
  const table = "select 1 from sqlite_schema where name = '__drizzle_migrations'"
  if ((await client.execute(table)).rows.length === 0) return null
  const { rows } = await client.execute('select max(created_at) as newest from __drizzle_migrations')
  return rows[0]?.newest == null ? null : Number(rows[0].newest)
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
  return codes.join(', ') || (error instanceof Error ? error.name : 'unknown')
}
