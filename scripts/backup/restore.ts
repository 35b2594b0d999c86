/** Restores a backup into an empty data folder. */
import { chmod, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { lockDatabaseFile } from '../../src/platform/database-lock.ts'
import { giveToOwnerOf } from '../../src/platform/private-file.ts'
import { openServerBlobs } from '../../src/platform/server-blobs.ts'
import { knownMigrations, loadDriver } from '../../src/platform/server-database.ts'
import { syncToDisk } from '../../src/platform/whole-file.ts'
import type { Settings } from '../../src/settings.ts'
import { localDatabase, type OnStep } from './backup.ts'
import {
  type BackupDescription,
  BackupError,
  databaseFile,
  explainFailure,
  mediaFolder,
  verifyBackup,
} from './backup-file.ts'
import { listFiles } from './media-copy.ts'
import { inspectDatabase, openDatabaseFile } from './snapshot.ts'

/** Where database and media belong, and where they are until they are complete. */
interface Places {
  database: string
  databasePart: string
  media: string
  mediaPart: string
}

/** @param keptMedia folder of the media; `null` if others keep them, and the backup has none */
function placesOf(settings: Settings, keptMedia: string | null): Places {
  const database = localDatabase(settings)
  const media = keptMedia ?? path.resolve(settings.dataDir, mediaFolder)
  return { database, media, databasePart: `${database}.restoring`, mediaPart: `${media}.restoring` }
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

/** Whether all files are of a restoration that ended between its last two steps: none of them is lost with them. */
async function areLeft(
  files: readonly string[],
  { databasePart }: Places,
  sums: ReadonlyMap<string, string>,
) {
  const areOfBackup = files.every((name) => sums.has(`${mediaFolder}/${name}`))
  return areOfBackup && (await exists(databasePart))
}

/** @throws {BackupError} if there is something that would be overwritten */
async function requireFree(places: Places, sums: ReadonlyMap<string, string>): Promise<void> {
  const { database, media } = places
  // A log without its database would be applied to the restored one.
  const found = await Promise.all([database, `${database}-wal`, `${database}-shm`].map(exists))
  const files = await listFiles(media)
  if (!found.includes(true) && (files.length === 0 || (await areLeft(files, places, sums)))) return
  const folder = path.dirname(database)
  throw new BackupError(
    `${folder} holds data already: move ${path.basename(database)}* and ${mediaFolder} away, or set another DATA_DIR`,
  )
}

/** Copies a file for the user of the service alone, whatever the rights of the backup are. */
async function copyPrivately(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 })
  await copyFile(from, to)
  await chmod(to, 0o600)
  await syncToDisk(to)
}

/** @throws {BackupError} if the copy does not hold the rows of the backup */
async function requireSameRows(file: string, { rows, migration }: BackupDescription): Promise<void> {
  const client = await openDatabaseFile(file)
  const facts = await inspectDatabase(client).finally(() => client.close())
  if (JSON.stringify(facts) !== JSON.stringify({ rows, migration }))
    throw new BackupError('The restored database does not hold the rows that the backup counts')
}

/** Copies everything beside its place, and then moves it there, the database last. */
async function copyToPlaces(
  folder: string,
  { database, databasePart, media, mediaPart }: Places,
  { description, sums }: Awaited<ReturnType<typeof verifyBackup>>,
  onStep: OnStep,
): Promise<void> {
  // Media before the part of the database: as long as it is there, media of an interrupted restoration may be removed.
  for (const old of [media, databasePart, mediaPart]) await rm(old, { recursive: true, force: true })
  await copyPrivately(path.join(folder, databaseFile), databasePart)
  await requireSameRows(databasePart, description)
  const names = [...sums.keys()].filter((name) => name !== databaseFile)
  const made = new Set<string>()
  for (const [place, name] of names.entries()) {
    const file = path.join(mediaPart, name.slice(mediaFolder.length + 1))
    await copyPrivately(path.join(folder, name), file)
    for (const part of [mediaPart, path.dirname(file), file]) made.add(part)
    onStep('media', place + 1, names.length)
  }
  await giveToOwnerOf(path.dirname(database), [databasePart])
  await giveToOwnerOf(path.dirname(media), [...made].reverse())
  if (names.length > 0) await rename(mediaPart, media)
  await rename(databasePart, database)
  await syncToDisk(path.dirname(database))
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
  const keptMedia = openServerBlobs(settings).backup.folder
  const places = placesOf(settings, keptMedia)
  const verified = await verifyBackup(folder, (done, all) => onStep('verify', done, all))
  const { description, sums } = verified
  const known = knownMigrations()
  if (description.migration < known[0]!)
    throw new BackupError('The backup was made by a version before 1.0.0, which this release cannot read')
  if (!known.includes(description.migration))
    throw new BackupError(
      `The backup is of release ${description.software}, which is newer than this one: restore it with that release`,
    )
  if (description.media !== null && keptMedia === null)
    throw new BackupError(
      'The backup has media, which these settings keep in no folder: restore without S3_ENDPOINT, or upload media yourself',
    )
  const what = `The backup cannot be restored to ${path.dirname(places.database)}`
  const explain = (error: unknown): never => {
    throw explainFailure(what, error)
  }
  await mkdir(path.dirname(places.database), { recursive: true, mode: 0o700 }).catch(explain)
  const lock = await lockDatabaseFile(places.database, await loadDriver(true)).catch(explain)
  try {
    await requireFree(places, sums)
    // Snapshots of search indexes would be of other rows.
    await rm(path.resolve(settings.dataDir, 'gallery'), { recursive: true, force: true })
    await copyToPlaces(folder, places, verified, onStep).catch(explain)
    return description
  } finally {
    lock.release()
  }
}
