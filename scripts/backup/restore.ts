/** Restores a backup into an empty data folder. */
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { lockDatabaseFile } from '../../src/platform/database-lock.ts'
import { loadDriver, newestKnownMigration, resolveAddress } from '../../src/platform/server-database.ts'
import type { Settings } from '../../src/settings.ts'
import { localDatabase, type OnStep } from './backup.ts'
import {
  type BackupDescription,
  BackupError,
  databaseFile,
  mediaFolder,
  verifyBackup,
} from './backup-file.ts'
import { inspectDatabase, openDatabaseFile } from './snapshot.ts'

const isEmpty = async (folder: string): Promise<boolean> =>
  (await readdir(folder).catch(() => [])).length === 0

/** @throws {BackupError} if there is something that would be overwritten */
async function requireEmpty(database: string, media: string): Promise<void> {
  // A log without its database would be applied to the restored one.
  const files = [database, `${database}-wal`, `${database}-shm`]
  const found = await Promise.all(files.map((file) => stat(file).catch(() => null)))
  const isFree = found.every((facts) => facts === null) && (await isEmpty(media))
  if (isFree) return
  const folder = path.dirname(database)
  throw new BackupError(
    `${folder} holds data already: move ${path.basename(database)}* and ${mediaFolder} away, or set another DATA_DIR`,
  )
}

async function copyPrivately(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 })
  await copyFile(from, to)
}

/** @throws {BackupError} if the copy does not hold the rows of the backup */
async function requireSameRows(file: string, { rows, migration }: BackupDescription): Promise<void> {
  const client = await openDatabaseFile(file)
  const facts = await inspectDatabase(client).finally(() => client.close())
  if (JSON.stringify(facts) !== JSON.stringify({ rows, migration }))
    throw new BackupError('The restored database does not hold the rows that the backup counts')
}

/**
 * Verifies a backup and copies it to where the settings place database and media. Nothing is overwritten, and the database gets its
 * name last: an interrupted restoration can be repeated.
 * @throws {BackupError} if the backup is damaged or of a newer release, or there is data already
 */
export async function restoreBackup(
  settings: Settings,
  folder: string,
  onStep: OnStep = () => {},
): Promise<BackupDescription> {
  const database = localDatabase(settings)
  const media = path.resolve(settings.dataDir, mediaFolder)
  const { description, sums } = await verifyBackup(folder, (done, all) => onStep('verify', done, all))
  if (description.migration > newestKnownMigration())
    throw new BackupError(
      `The backup is of release ${description.software}, which is newer than this one: restore it with that release`,
    )
  if (description.media !== null && settings.s3Endpoint !== '')
    throw new BackupError(
      'The backup has media, and S3_ENDPOINT is set: restore without it, or upload media yourself',
    )
  await mkdir(path.dirname(database), { recursive: true, mode: 0o700 })
  const lock = await lockDatabaseFile(resolveAddress(settings), database, await loadDriver(true))
  try {
    await requireEmpty(database, media)
    const parts = { database: `${database}.restoring`, media: `${media}.restoring` }
    for (const part of Object.values(parts)) await rm(part, { recursive: true, force: true })
    await copyPrivately(path.join(folder, databaseFile), parts.database)
    await requireSameRows(parts.database, description)
    const names = [...sums.keys()].filter((name) => name !== databaseFile)
    for (const [place, name] of names.entries()) {
      await copyPrivately(path.join(folder, name), path.join(parts.media, name.slice(mediaFolder.length + 1)))
      onStep('media', place + 1, names.length)
    }
    // Snapshots of search indexes would be of other rows; an empty folder of media may be there.
    for (const old of [path.resolve(settings.dataDir, 'gallery'), media])
      await rm(old, { recursive: true, force: true })
    if (names.length > 0) await rename(parts.media, media)
    await rename(parts.database, database)
    return description
  } finally {
    lock.release()
  }
}
