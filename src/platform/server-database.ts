/** The database of servers: a local file, or a libSQL server. */
import { access, chmod } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client, Config } from '@libsql/client'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { AppError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { describeDatabaseError, readDatabaseState, requireUsable } from '../storage/database-state.ts'
import { openQueries } from '../storage/queries.ts'
import { type DatabaseLock, lockDatabaseFile } from './database-lock.ts'
import { isFileAddress, toFilePath } from './file-address.ts'
import { commandHere } from './installation.ts'
import { makeFolder, makePrivateFile } from './private-file.ts'
import { openWriteAheadLog } from './write-ahead-log.ts'

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url))

/** The address of the database: `file:` with a path, or that of a libSQL server. */
export function resolveAddress({ databaseUrl, dataDir }: Settings): string {
  return databaseUrl === '' ? `file:${path.join(dataDir, 'vivace.db')}` : databaseUrl
}

/** Fetches with a time limit: writes run one at a time, so a silent server must not block all of them. */
const fetchWithin = (maxMs: number) => (request: Request) =>
  fetch(request, { signal: AbortSignal.timeout(maxMs) })

/** Creates the database file with access for its owner only. The engine gives its log files the same mode. */
async function prepareFile(file: string): Promise<void> {
  await makeFolder(path.dirname(file), 0o700)
  await makePrivateFile(file)
  // An existing file may belong to another user, who is then responsible for its mode.
  for (const ending of ['', '-wal', '-shm']) await chmod(file + ending, 0o600).catch(() => {})
}

type CreateClient = (config: Config) => Client

/**
 * Loads the driver for an address. The engine for files is a native package, so nothing else may need it.
 * @throws {AppError} `database_failed` if the engine is not installed
 */
export async function loadDriver(isLocal: boolean): Promise<CreateClient> {
  if (!isLocal) return (await import('@libsql/client/web')).createClient
  try {
    return (await import('@libsql/client/sqlite3')).createClient
  } catch (cause) {
    const message = `The database engine is not installed for ${process.platform}-${process.arch}: install the packages without --omit=optional, set DATABASE_URL to a libSQL server, or store nothing with SVC_APP_COMPONENTS=stateless`
    throw new AppError('database_failed', message, { cause })
  }
}

const fileRemedies: readonly [codes: RegExp, remedy: string][] = [
  [/ENOENT/, 'start the server once, or set DATA_DIR or DATABASE_URL as for the server'],
  [
    /CANTOPEN|EACCES|EPERM|EROFS|ENOTDIR|READONLY/,
    'make its folder writable for this user (is its disk mounted read-only?), or set DATA_DIR',
  ],
  [/NOTADB|CORRUPT/, `move the file away and restore a backup with ${commandHere('restore')}`],
  [/FULL|ENOSPC/, 'free space on its disk, or set DATA_DIR'],
  [/BUSY|LOCKED/, 'stop the process that uses it'],
]

/** What cannot be opened and why, and what to do. */
export function explainFailure(url: string, cause: unknown): { fault: string; remedy: string } {
  const codes = describeDatabaseError(cause)
  if (!isFileAddress(url)) {
    const host = URL.canParse(url) ? new URL(url).host : 'its address'
    return {
      fault: `The database of DATABASE_URL (${host}) cannot be opened (${codes})`,
      remedy: 'check the address and DATABASE_AUTH_TOKEN, and that the server runs',
    }
  }
  return {
    fault: `The database ${path.resolve(toFilePath(url))} cannot be opened (${codes})`,
    remedy: fileRemedies.find(([pattern]) => pattern.test(codes))?.[1] ?? 'check DATABASE_URL and DATA_DIR',
  }
}

function describeFailure(url: string, cause: unknown): string {
  const { fault, remedy } = explainFailure(url, cause)
  return `${fault}: ${remedy}`
}

/** Smaller databases are not compacted. */
const pagesMin = 1000

/** Creation times of the migrations of this release in their order, in milliseconds since 1970. */
export const knownMigrations = (folder = migrationsFolder): number[] =>
  readMigrationFiles({ migrationsFolder: folder }).map(({ folderMillis }) => folderMillis)

/**
 * Applies the missing migrations in one transaction, and compacts a local database afterwards.
 * @param onProgress called before rows of an older release are rewritten, which may take a while
 * @param folder of the migrations
 * @returns whether the database was empty before
 * @throws {AppError} `database_failed` if this release cannot use the database
 */
export async function migrateDatabase(
  client: Client,
  isLocal: boolean,
  onProgress: (line: string) => void,
  folder = migrationsFolder,
): Promise<boolean> {
  const known = knownMigrations(folder)
  const state = await readDatabaseState(client, known)
  requireUsable(state)
  const isUpgrade = state === 'older'
  if (state !== 'current') {
    if (isUpgrade) onProgress('the rows of an older release are being rewritten')
    // Old rows must not stay in freed pages. The setting applies to the connection, which the next call uses too.
    if (isLocal) await client.execute('pragma secure_delete = on')
    await migrate(openQueries(client), { migrationsFolder: folder }).catch(async (error: unknown) => {
      // Another replica that started at the same time has applied them.
      if ((await readDatabaseState(client, known)) !== 'current') throw error
    })
  }
  if (isLocal) await reclaimSpace(client, isUpgrade, onProgress)
  return state === 'empty'
}

/**
 * Returns free pages to the file system, now or at the next start.
 * @param isUpgrade then all pages are written anew in any case: a migration moves rows, and copies of them stay in gaps of pages
 */
async function reclaimSpace(
  client: Client,
  isUpgrade: boolean,
  onProgress: (line: string) => void,
): Promise<void> {
  const [free, all] = await Promise.all(
    ['freelist_count', 'page_count'].map(async (name) => {
      const { rows } = await client.execute(`pragma ${name}`)
      return Number(rows[0]?.[name])
    }),
  )
  if (!isUpgrade && (all! < pagesMin || free! < all! / 3)) return
  try {
    await client.execute('vacuum')
    await client.execute('pragma wal_checkpoint(truncate)')
  } catch (error) {
    onProgress(`free room of the database could not be given back: ${describeDatabaseError(error)}`)
  }
}

/**
 * Opens the database of the settings beside a server that uses it: without lock and migrations.
 * @throws {AppError} `database_failed` if it cannot be opened, or is not of this release
 */
export async function openSharedDatabase(settings: Settings): Promise<Database & { close(): void }> {
  const url = resolveAddress(settings)
  const isLocal = isFileAddress(url)
  let client: Client | null = null
  const close = () => client?.close()
  try {
    if (isLocal) await access(toFilePath(url))
    const token = settings.databaseAuthToken
    const createClient = await loadDriver(isLocal)
    client = createClient({ url, ...(token === '' ? {} : { authToken: token }) })
    const state = await readDatabaseState(client, knownMigrations())
    requireUsable(state)
    if (state !== 'current')
      throw new AppError(
        'database_failed',
        `The database is not of this release: run ${commandHere('migrate')}`,
      )
    return { ...openDatabase(client, isLocal), close }
  } catch (cause) {
    close()
    if (cause instanceof AppError) throw cause
    throw new AppError('database_failed', describeFailure(url, cause), { cause })
  }
}

/** Fails where the database can be read only. */
export const writeNothing = (client: Client) => client.execute('delete from __drizzle_migrations where false')

/** The database of a server, and whether it was empty. */
type ServerDatabase = Database & { isNew: boolean; close(): void }

/**
 * Opens the database of the settings and applies migrations. A local file is locked until `close`.
 * @param onProgress called before steps that may take a while
 * @throws {AppError} `database_failed` if it cannot be opened or written to, or another process uses the file
 */
export async function openServerDatabase(
  settings: Settings,
  onProgress: (line: string) => void,
): Promise<ServerDatabase> {
  const url = resolveAddress(settings)
  const isLocal = isFileAddress(url)
  let lock: DatabaseLock | null = null
  let client: Client | null = null
  const close = () => {
    client?.close()
    lock?.release()
  }
  try {
    const connect = await loadDriver(isLocal)
    if (isLocal) {
      await prepareFile(toFilePath(url))
      lock = await lockDatabaseFile(toFilePath(url), connect)
    }
    const token = settings.databaseAuthToken
    const address = { url, ...(token === '' ? {} : { authToken: token }) }
    client = connect({ ...address, fetch: fetchWithin(settings.externalTimeoutS * 1000) })
    await client.execute(isLocal ? 'pragma journal_mode = wal' : 'select 1')
    // Migrations may take longer than the time limit of other calls.
    const patient = connect(address)
    const isNew = await migrateDatabase(patient, isLocal, onProgress).finally(() => patient.close())
    await writeNothing(client)
    const log = isLocal ? openWriteAheadLog(toFilePath(url)) : null
    return { ...openDatabase(client, isLocal, { log }), isNew, close }
  } catch (cause) {
    close()
    if (cause instanceof AppError) throw cause
    throw new AppError('database_failed', describeFailure(url, cause), { cause })
  }
}
