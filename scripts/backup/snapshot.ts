/** Copies of a database as it was at one moment, and what they tell about files. */
import { rm } from 'node:fs/promises'
import type { Client } from '@libsql/client'
import { toFileAddress } from '../../src/platform/file-address.ts'
import { makePrivateFile } from '../../src/platform/private-file.ts'
import { explainFailure, loadDriver } from '../../src/platform/server-database.ts'
import type { Settings } from '../../src/settings.ts'
import { appliedMigrations } from '../../src/storage/database-state.ts'
import { BackupError } from './backup-file.ts'
import { copyRows, isOurs } from './copy-rows.ts'

const idsAtOnce = 5000
const keysAtOnce = 500
/** Longest wait for a lock, in milliseconds. */
const busyMs = 30_000

/** File names start with two UUIDs: of the folder or collection, and of the record that owns the file. */
const ownerInKey = "unhex(substr(file.value, 38, 36), '-')"
const owners = ['media', 'person_images', 'analyses', 'reports']
/** Records that have at least one file. */
const alwaysWithFiles = ['media', 'person_images']

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`

export async function openDatabaseFile(file: string): Promise<Client> {
  const createClient = await loadDriver(true)
  return createClient({ url: toFileAddress(file), timeout: busyMs, intMode: 'bigint' })
}

/**
 * Does something with the libSQL server of the settings.
 * @throws {BackupError} if it does not answer as expected
 */
export async function withServer<T>(
  { databaseUrl: url, databaseAuthToken: token }: Settings,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const createClient = await loadDriver(false)
  let client: Client | null = null
  try {
    client = createClient({ url, intMode: 'bigint', ...(token === '' ? {} : { authToken: token }) })
    return await work(client)
  } catch (cause) {
    if (cause instanceof BackupError) throw cause
    const { fault, remedy } = explainFailure(url, cause)
    throw new BackupError(`${fault}: ${remedy}`, { cause })
  } finally {
    client?.close()
  }
}

/**
 * Copies a database in one read transaction, while others use it.
 * @param source path of the database
 */
export async function copyDatabase(source: string, target: string): Promise<void> {
  await rm(target, { force: true })
  // The engine keeps the mode of an empty file; one of its own would be readable by others while it is written.
  await makePrivateFile(target)
  const client = await openDatabaseFile(source)
  try {
    await client.execute(`vacuum into ${quote(target)}`)
  } finally {
    client.close()
  }
}

/**
 * Copies the database of a libSQL server in one read transaction, while others use it.
 * @throws {BackupError} if the server does not answer as expected
 */
export async function copyServer(
  settings: Settings,
  target: string,
  onRows: (copied: number) => void,
): Promise<void> {
  await rm(target, { force: true })
  await makePrivateFile(target)
  const client = await openDatabaseFile(target)
  try {
    await withServer(settings, async (server) => {
      if ((await appliedMigrations(server)).length === 0)
        throw new BackupError(
          'The database of DATABASE_URL holds no data of this system: set it as for the server',
        )
      await copyRows(server, client, onRows)
    })
  } finally {
    client.close()
  }
}

export interface DatabaseFacts {
  rows: Record<string, number>
  migration: number
}

/** @throws {BackupError} if the database is damaged */
export async function inspectDatabase(client: Client): Promise<DatabaseFacts> {
  const check = await client.execute('pragma integrity_check')
  if (check.rows[0]?.integrity_check !== 'ok') throw new BackupError('The database is damaged')
  return countRows(client)
}

export async function countRows(client: Client): Promise<DatabaseFacts> {
  const tables = await client.execute(
    `select name from sqlite_schema where type = 'table' and ${isOurs} order by name`,
  )
  const rows: Record<string, number> = {}
  for (const { name } of tables.rows) {
    const counted = await client.execute(`select count(*) as n from "${name}"`)
    rows[String(name)] = Number(counted.rows[0]?.n)
  }
  return { rows, migration: (await appliedMigrations(client)).at(-1) ?? 0 }
}

/** The files among some whose record is in the database. */
export async function ownedAmong(client: Client, keys: readonly string[]): Promise<Set<string>> {
  const owned = new Set<string>()
  const isOwned = owners
    .map((table) => `exists (select 1 from ${table} where id = ${ownerInKey})`)
    .join(' or ')
  for (let start = 0; start < keys.length; start += keysAtOnce) {
    const { rows } = await client.execute({
      sql: `select file.value as key from json_each(?) as file where ${isOwned}`,
      args: [JSON.stringify(keys.slice(start, start + keysAtOnce))],
    })
    for (const { key } of rows) owned.add(String(key))
  }
  return owned
}

/** Number of records with files among some encrypted ones that the database has no key of. */
export async function countWithoutKeys(client: Client, keys: readonly string[]): Promise<number> {
  const unreadable = new Set<string>()
  const folderInKey = "unhex(substr(file.value, 1, 36), '-')"
  for (let start = 0; start < keys.length; start += keysAtOnce) {
    const { rows } = await client.execute({
      sql: `select file.value as key from json_each(?) as file where ${folderInKey} not in (select owner_id from data_keys)`,
      args: [JSON.stringify(keys.slice(start, start + keysAtOnce))],
    })
    for (const { key } of rows) unreadable.add(ownerOf(String(key)))
  }
  return unreadable.size
}

/** The record that owns a file, as 32 hexadecimal digits. */
const ownerOf = (key: string): string => key.slice(37, 73).replaceAll('-', '').toLowerCase()

/** Number of media and photos of the database that own none of the files. */
export async function countWithoutFiles(client: Client, keys: Iterable<string>): Promise<number> {
  const withFiles = new Set<string>()
  for (const key of keys) withFiles.add(ownerOf(key))
  let missing = 0
  for (const table of alwaysWithFiles) {
    for (let after = ''; ; ) {
      const { rows } = await client.execute({
        sql: `select lower(hex(id)) as id from ${table} where id > unhex(?) order by ${table}.id limit ${idsAtOnce}`,
        args: [after],
      })
      missing += rows.filter(({ id }) => !withFiles.has(String(id))).length
      if (rows.length < idsAtOnce) break
      after = String(rows.at(-1)?.id)
    }
  }
  return missing
}
