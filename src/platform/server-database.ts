/** The database of servers: a file of their own, or a libSQL server. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@libsql/client'
import { drizzle } from 'drizzle-orm/libsql'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { AppError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import { type Database, openDatabase } from '../storage/database.ts'

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url))

function addressOf({ databaseUrl, dataDir }: Settings): string {
  return databaseUrl === '' ? `file:${path.join(dataDir, 'vivace.db')}` : databaseUrl
}

/** A server that is silent for longer is given up: writes wait for each other, and one must not hold up all. */
const fetchWithin = (maxMs: number) => (request: Request) =>
  fetch(request, { signal: AbortSignal.timeout(maxMs) })

/**
 * Opens the database that the settings name and brings it up to date.
 * @throws {AppError} `database_failed` when it cannot be had
 */
export async function openServerDatabase(settings: Settings): Promise<Database & { close(): void }> {
  const url = addressOf(settings)
  const isLocal = url.startsWith('file:')
  try {
    if (isLocal) await mkdir(path.dirname(url.slice('file:'.length)), { recursive: true })
    const token = settings.databaseAuthToken
    const client = createClient({
      url,
      fetch: fetchWithin(settings.externalTimeoutS * 1000),
      ...(token === '' ? {} : { authToken: token }),
    })
    if (isLocal) await client.execute('pragma journal_mode = wal')
    await migrate(drizzle(client), { migrationsFolder })
    return { ...openDatabase(client, isLocal), close: () => client.close() }
  } catch (cause) {
    throw new AppError('database_failed', 'The database of DATABASE_URL or DATA_DIR cannot be opened', {
      cause,
    })
  }
}
