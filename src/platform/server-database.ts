/** The database of servers: a local file, or a libSQL server. */
import { chmod, mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client, createClient } from '@libsql/client'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { drizzle } from 'drizzle-orm/libsql/web'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { AppError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { describeDatabaseError, newestMigration } from '../storage/database-state.ts'

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url))

function resolveAddress({ databaseUrl, dataDir }: Settings): string {
  return databaseUrl === '' ? `file:${path.join(dataDir, 'vivace.db')}` : databaseUrl
}

/** Fetches with a time limit: writes run one at a time, so a silent server must not block all of them. */
const fetchWithin = (maxMs: number) => (request: Request) =>
  fetch(request, { signal: AbortSignal.timeout(maxMs) })

/** The path of a `file:` address, parsed as the driver does. */
function toFilePath(url: string): string {
  const [place = ''] = url.slice('file:'.length).split(/[?#]/)
  return decodeURIComponent(place.replace(/^\/\/(?:localhost)?(?=\/)/, ''))
}

/** Creates the database file with access for its owner only. The engine gives its log files the same mode. */
async function prepareFile(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  await (await open(file, 'a', 0o600)).close()
  // An existing file may belong to another user, who is then responsible for its mode.
  for (const ending of ['', '-wal', '-shm']) await chmod(file + ending, 0o600).catch(() => {})
}

/**
 * Loads the driver. That of a local database contains the engine, which is native code.
 * @throws {AppError} `database_failed` if the engine is not installed
 */
async function loadDriver(isLocal: boolean): Promise<typeof createClient> {
  if (!isLocal) return (await import('@libsql/client/web')).createClient
  try {
    return (await import('@libsql/client')).createClient
  } catch (cause) {
    const message =
      'The engine of the local database cannot be loaded: install the packages again without --omit=optional, or set DATABASE_URL'
    throw new AppError('database_failed', message, { cause })
  }
}

/** Smaller databases are not compacted. */
const pagesMin = 1000

/**
 * Applies the missing migrations in one transaction, and compacts a local database afterwards.
 * @param onProgress called before rows of an older release are rewritten, which may take a while
 */
export async function migrateDatabase(
  client: Client,
  isLocal: boolean,
  onProgress: (line: string) => void,
): Promise<void> {
  const known = Math.max(...readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis))
  const newest = await newestMigration(client)
  if (newest !== null && newest > known)
    throw new AppError('database_failed', 'The database is of a newer release than this one')
  if (newest !== known) {
    if (newest !== null) onProgress('the rows of an older release are being rewritten')
    // Old rows must not stay in freed pages. The setting applies to the connection, which the next call uses too.
    if (isLocal) await client.execute('pragma secure_delete = on')
    await migrate(drizzle(client), { migrationsFolder }).catch(async (error: unknown) => {
      // Another replica that started at the same time has applied them.
      if ((await newestMigration(client)) !== known) throw error
    })
  }
  if (isLocal) await reclaimSpace(client, onProgress)
}

/** Returns free pages to the file system, now or at the next start. */
async function reclaimSpace(client: Client, onProgress: (line: string) => void): Promise<void> {
  const [free, all] = await Promise.all(
    ['freelist_count', 'page_count'].map(async (name) => {
      const { rows } = await client.execute(`pragma ${name}`)
      return Number(rows[0]?.[name])
    }),
  )
  if (all! < pagesMin || free! < all! / 3) return
  try {
    await client.execute('vacuum')
    await client.execute('pragma wal_checkpoint(truncate)')
  } catch (error) {
    onProgress(`free room of the database could not be given back: ${describeDatabaseError(error)}`)
  }
}

/**
 * Opens the database of the settings and applies migrations.
 * @param onProgress called before steps that may take a while
 * @throws {AppError} `database_failed` if it cannot be opened
 */
export async function openServerDatabase(
  settings: Settings,
  onProgress: (line: string) => void,
): Promise<Database & { close(): void }> {
  const url = resolveAddress(settings)
  const isLocal = url.startsWith('file:')
  try {
    const connect = await loadDriver(isLocal)
    if (isLocal) await prepareFile(toFilePath(url))
    const token = settings.databaseAuthToken
    const address = { url, ...(token === '' ? {} : { authToken: token }) }
    const client = connect({ ...address, fetch: fetchWithin(settings.externalTimeoutS * 1000) })
    await client.execute(isLocal ? 'pragma journal_mode = wal' : 'select 1')
    // Migrations may take longer than the time limit of other calls.
    const patient = connect(address)
    await migrateDatabase(patient, isLocal, onProgress).finally(() => patient.close())
    return { ...openDatabase(client, isLocal), close: () => client.close() }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const message = `The database of DATABASE_URL or DATA_DIR cannot be opened: ${describeDatabaseError(cause)}`
    throw new AppError('database_failed', message, { cause })
  }
}
