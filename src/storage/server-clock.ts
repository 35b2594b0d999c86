/** Compares the clock of this process with that of the database server. */
import { sql } from 'drizzle-orm'
import type { Database } from './database.ts'

/** The server's time in Unix milliseconds, also for engines that are too old for `unixepoch('subsec')`. */
export const clockQuery = "select (julianday('now') - 2440587.5) * 86400000.0 as ms"

/** Asks the server for its time. @throws {AppError} `database_failed` */
export async function readServerMs(database: Pick<Database, 'read'>): Promise<number> {
  const { ms } = await database.read((queries) => queries.get<{ ms: number }>(sql.raw(clockQuery)))
  return ms
}

/** A lease lasts 12 s and is extended every 4 s. From this difference in milliseconds on, others may take a live one. */
export const clockLeadMaxMs = 3000

/**
 * How many milliseconds the clock of this process is ahead of the server's; negative if it is behind. Only what the duration of
 * the call cannot explain counts, so a slow call tells less, and never too much.
 * @param readMs asks for the server's time
 */
export async function measureClockLead(readMs: () => Promise<number>, nowMs: () => number): Promise<number> {
  const before = nowMs()
  const serverMs = await readMs()
  const after = nowMs()
  if (serverMs < before) return before - serverMs
  return serverMs > after ? after - serverMs : 0
}
