/** Restores a backup into an empty data folder, or into an empty libSQL server. */
import { chmod, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { lockDatabaseFile } from '../../src/platform/database-lock.ts'
import { giveToOwnerOf, makeFolder } from '../../src/platform/private-file.ts'
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
import { copyRows } from './copy-rows.ts'
import { listFiles } from './media-copy.ts'
import { countRows, type DatabaseFacts, inspectDatabase, openDatabaseFile, withServer } from './snapshot.ts'

/** Where database and media belong, and where they are until they are complete. */
interface Places {
  /** `null` if a server holds it. */
  database: { file: string; part: string } | null
  media: string
  mediaPart: string
}

/** @param keptMedia folder of the media; `null` if others keep them, and the backup has none */
function placesOf(settings: Settings, keptMedia: string | null): Places {
  const file = localDatabase(settings)
  const media = keptMedia ?? path.resolve(settings.dataDir, mediaFolder)
  return {
    database: file === null ? null : { file, part: `${file}.restoring` },
    media,
    mediaPart: `${media}.restoring`,
  }
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

/** Whether all files are of a restoration that ended between its last two steps: none of them is lost with them. */
async function areLeft(files: readonly string[], { database }: Places, sums: ReadonlyMap<string, string>) {
  const areOfBackup = files.every((name) => sums.has(`${mediaFolder}/${name}`))
  return areOfBackup && database !== null && (await exists(database.part))
}

/** @throws {BackupError} if there is something that would be overwritten */
async function requireFree(
  settings: Settings,
  places: Places,
  sums: ReadonlyMap<string, string>,
): Promise<void> {
  const { database, media } = places
  if (database === null) {
    const { rows } = await withServer(settings, countRows)
    if (Object.keys(rows).length > 0)
      throw new BackupError('The database of DATABASE_URL holds tables already: make a new, empty one')
  }
  const file = database?.file ?? null
  // A log without its database would be applied to the restored one.
  const found = await Promise.all(file === null ? [] : [file, `${file}-wal`, `${file}-shm`].map(exists))
  const files = await listFiles(media)
  if (!found.includes(true) && (files.length === 0 || (await areLeft(files, places, sums)))) return
  const names = [...(file === null ? [] : [`${path.basename(file)}*`]), mediaFolder].join(' and ')
  throw new BackupError(
    `${path.dirname(file ?? media)} holds data already: move ${names} away, or set another DATA_DIR`,
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
function requireSameRows(facts: DatabaseFacts, { rows, migration }: BackupDescription): void {
  if (JSON.stringify(facts) !== JSON.stringify({ rows, migration }))
    throw new BackupError('The restored database does not hold the rows that the backup counts')
}

/** Fills the libSQL server of the settings with the rows of a file. */
async function fillServer(
  settings: Settings,
  file: string,
  description: BackupDescription,
  onStep: OnStep,
): Promise<void> {
  const all = Object.values(description.rows).reduce((sum, count) => sum + count, 0)
  const client = await openDatabaseFile(file)
  try {
    await withServer(settings, async (server) => {
      await copyRows(client, server, (copied) => onStep('rows', copied, all))
      requireSameRows(await countRows(server), description)
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new BackupError(`${reason}. A part of the backup is in that database: make a new, empty one`, {
      cause,
    })
  } finally {
    client.close()
  }
}

/** Copies everything beside its place, and then moves it there, the database last. */
async function copyToPlaces(
  settings: Settings,
  folder: string,
  { database, media, mediaPart }: Places,
  { description, sums }: Awaited<ReturnType<typeof verifyBackup>>,
  onStep: OnStep,
): Promise<void> {
  const kept = path.join(folder, databaseFile)
  // Media before the part of the database: as long as it is there, media of an interrupted restoration may be removed.
  for (const old of [media, ...(database ? [database.part] : []), mediaPart])
    await rm(old, { recursive: true, force: true })
  if (database) {
    await copyPrivately(kept, database.part)
    const client = await openDatabaseFile(database.part)
    requireSameRows(await inspectDatabase(client).finally(() => client.close()), description)
  }
  const names = [...sums.keys()].filter((name) => name !== databaseFile)
  const made = new Set<string>()
  for (const [place, name] of names.entries()) {
    const file = path.join(mediaPart, name.slice(mediaFolder.length + 1))
    await copyPrivately(path.join(folder, name), file)
    for (const part of [mediaPart, path.dirname(file), file]) made.add(part)
    onStep('media', place + 1, names.length)
  }
  await giveToOwnerOf(path.dirname(media), [...made].reverse())
  if (!database) await fillServer(settings, kept, description, onStep)
  if (names.length > 0) await rename(mediaPart, media)
  if (!database) return
  await giveToOwnerOf(path.dirname(database.file), [database.part])
  await rename(database.part, database.file)
  await syncToDisk(path.dirname(database.file))
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
  const target = path.dirname(places.database?.file ?? places.media)
  const what = `The backup cannot be restored to ${target}`
  const explain = (error: unknown): never => {
    throw explainFailure(what, error)
  }
  await makeFolder(target, 0o700).catch(explain)
  const lock = places.database
    ? await lockDatabaseFile(places.database.file, await loadDriver(true)).catch(explain)
    : null
  try {
    await requireFree(settings, places, sums)
    // Snapshots of search indexes would be of other rows.
    await rm(path.resolve(settings.dataDir, 'gallery'), { recursive: true, force: true })
    await copyToPlaces(settings, folder, places, verified, onStep).catch(explain)
    return description
  } finally {
    lock?.release()
  }
}
