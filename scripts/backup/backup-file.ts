/** The form of a backup: a folder with a database, media, their checksums, and a description that is written last. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { commandHere } from '../../src/platform/installation.ts'

export const databaseFile = 'vivace.db'
export const mediaFolder = 'media'
/** In the form of `sha256sum`. */
export const sumsFile = 'SHA256SUMS'
const descriptionFile = 'backup.json'
const formatVersion = 1

export interface BackupDescription {
  format: typeof formatVersion
  /** Release that made it. */
  software: string
  /** ISO 8601. */
  createdAt: string
  /** Creation time of the newest migration of the database. */
  migration: number
  /** Number of rows by table. */
  rows: Record<string, number>
  /** `null` if media are in no folder of the machine, and not part of the backup. */
  media: {
    count: number
    bytes: number
    /** Media in the database without any file, or without their key, when the backup was made. */
    missing: number
  } | null
}

/** A backup that cannot be made or used; the message tells why and what to do. */
export class BackupError extends Error {}

const remedies: readonly [pattern: RegExp, remedy: string][] = [
  [/ENOSPC|EDQUOT|SQLITE_FULL/, 'free space on its disk, or name a folder on another one'],
  [/EACCES|EPERM|EROFS|SQLITE_(?:CANTOPEN|READONLY)/, 'give this user access, or name another folder'],
]

/** What failed, why, and what to do. Errors of the system name no folder, or no remedy. */
export function explainFailure(what: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error
  const reason = error.message.includes(error.code) ? error.message : `${error.code}: ${error.message}`
  const remedy = remedies.find(([pattern]) => pattern.test(reason))?.[1]
  return remedy === undefined ? error : new BackupError(`${what} (${reason}): ${remedy}`, { cause: error })
}

export const descriptionPath = (folder: string): string => path.join(folder, descriptionFile)

export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** @throws {BackupError} if the folder is no complete backup of a known form */
async function readDescription(folder: string): Promise<BackupDescription> {
  const text = await readFile(descriptionPath(folder), 'utf8').catch(() => null)
  if (text === null)
    throw new BackupError(
      `${folder} is no complete backup: it has no ${descriptionFile}, which is written last. Make a new one with ${commandHere('backup')}`,
    )
  try {
    const description = JSON.parse(text) as BackupDescription
    if (description.format === formatVersion) return description
  } catch {
    // Same answer as for a form of another release.
  }
  throw new BackupError(`${folder} is a backup in a form that this release does not know`)
}

/** Checksums by path, from the backup's folder. */
async function readSums(folder: string): Promise<Map<string, string>> {
  const text = await readFile(path.join(folder, sumsFile), 'utf8')
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]))
}

export const writeSumLines = (sums: ReadonlyMap<string, string>): string =>
  [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, sum]) => `${sum}  ${name}\n`)
    .join('')

const named = /^(?:vivace\.db|media(?:\/[\w-]+)+(?:\.\w+)*)$/

/**
 * Reads every file of a backup and compares its checksum.
 * @returns the description, and the checksums by path
 * @throws {BackupError} if a file is missing or differs
 */
export async function verifyBackup(
  folder: string,
  onProgress: (done: number, all: number) => void = () => {},
): Promise<{ description: BackupDescription; sums: Map<string, string> }> {
  const description = await readDescription(folder)
  const sums = await readSums(folder)
  const media = [...sums.keys()].filter((name) => name !== databaseFile)
  if (!sums.has(databaseFile) || media.length !== (description.media?.count ?? 0))
    throw new BackupError(`${folder} is damaged: ${sumsFile} does not list what ${descriptionFile} counts`)
  let done = 0
  for (const [name, sum] of sums) {
    // Names become paths, also of the restored files.
    if (!named.test(name)) throw new BackupError(`${folder} is damaged: ${sumsFile} names ${name}`)
    const file = path.join(folder, name)
    // A link or a device is no part of a backup.
    const isFile = await lstat(file).then(
      (facts) => facts.isFile(),
      () => false,
    )
    const actual = isFile ? await hashFile(file).catch(() => null) : null
    if (actual !== sum)
      throw new BackupError(`${folder} is damaged: ${name} ${actual ? 'has another checksum' : 'is missing'}`)
    onProgress(++done, sums.size)
  }
  return { description, sums }
}
