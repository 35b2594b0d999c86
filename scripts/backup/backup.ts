/** Backs up database and media, also while servers use them. */
import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isFileAddress, toFilePath } from '../../src/platform/file-address.ts'
import { makeFolder } from '../../src/platform/private-file.ts'
import { openServerBlobs } from '../../src/platform/server-blobs.ts'
import { resolveAddress } from '../../src/platform/server-database.ts'
import { syncToDisk, writeSynced } from '../../src/platform/whole-file.ts'
import type { Settings } from '../../src/settings.ts'
import { softwareVersion } from '../../src/version.ts'
import {
  type BackupDescription,
  BackupError,
  databaseFile,
  descriptionPath,
  explainFailure,
  hashFile,
  mediaFolder,
  sumsFile,
  verifyBackup,
  writeSumLines,
} from './backup-file.ts'
import { MediaCopy } from './media-copy.ts'
import {
  copyDatabase,
  copyServer,
  countWithoutFiles,
  countWithoutKeys,
  inspectDatabase,
  openDatabaseFile,
  ownedAmong,
} from './snapshot.ts'

/** What a long step tells about itself. */
export type OnStep = (step: string, done?: number, all?: number) => void

/** Files are for their owner alone. */
const mode = 0o600
/** How often the database is copied again if media were removed or encrypted meanwhile. */
const roundsMax = 5

/** Path of the database of the settings; `null` if it is a server. */
export function localDatabase(settings: Settings): string | null {
  const url = resolveAddress(settings)
  return isFileAddress(url) ? path.resolve(toFilePath(url)) : null
}

async function makeEmptyFolder(folder: string): Promise<void> {
  await makeFolder(folder, 0o700)
  if ((await readdir(folder)).length > 0)
    throw new BackupError(`${folder} is not empty: name a new folder for the backup`)
}

/** Copies the database and then the newest media, until every medium in the copy has its files, and their key. */
async function copyConsistently(
  copy: () => Promise<void>,
  target: string,
  media: MediaCopy,
  onStep: OnStep,
): Promise<number> {
  for (let round = 1; ; round++) {
    onStep('database')
    await copy()
    await media.follow((done, all) => onStep('new media', done, all))
    const client = await openDatabaseFile(target)
    try {
      await media.keepOnly(await ownedAmong(client, [...media.copied.keys()]))
      const encrypted = [...media.copied].filter(([, { isEncrypted }]) => isEncrypted).map(([key]) => key)
      const missing =
        (await countWithoutFiles(client, media.copied.keys())) + (await countWithoutKeys(client, encrypted))
      // What was removed since the copy is not in the next one, and the keys of what was encrypted since are. What is still missing then was lost before.
      if (missing === 0 || round === roundsMax) return missing
    } finally {
      client.close()
    }
  }
}

/** Half a backup is of no use, and holds personal data. */
async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    await rm(path.join(folder, name), { recursive: true, force: true }).catch(() => {})
}

async function fill(
  settings: Settings,
  source: string | null,
  folder: string,
  onStep: OnStep,
): Promise<BackupDescription> {
  const target = path.resolve(folder, databaseFile)
  const copy = () =>
    source === null
      ? copyServer(settings, target, (copied) => onStep(`database: ${copied} rows`))
      : copyDatabase(source, target)
  const kept = openServerBlobs(settings).backup.folder
  const media = kept === null ? null : new MediaCopy(kept, path.join(folder, mediaFolder))
  let missing = 0
  if (media) {
    // Most media are copied before the database, so that few are removed between the two.
    await media.follow((done, all) => onStep('media', done, all))
    missing = await copyConsistently(copy, target, media, onStep)
  } else await copy()
  onStep('check')
  const client = await openDatabaseFile(target)
  const facts = await inspectDatabase(client).finally(() => client.close())
  await syncToDisk(target)
  const sums = new Map([[databaseFile, await hashFile(target)]])
  let bytes = 0
  for (const [key, copied] of media?.copied ?? []) {
    sums.set(`${mediaFolder}/${key}`, copied.sha256)
    bytes += copied.bytes
  }
  await writeSynced(path.join(folder, sumsFile), writeSumLines(sums), { mode })
  const description: BackupDescription = {
    format: 1,
    software: softwareVersion,
    createdAt: new Date().toISOString(),
    ...facts,
    media: media && { count: media.copied.size, bytes, missing },
  }
  await writeSynced(descriptionPath(folder), `${JSON.stringify(description, null, 2)}\n`, { mode })
  await verifyBackup(folder, (done, all) => onStep('verify', done, all))
  return description
}

/** @throws {BackupError} if there is no such file, or it cannot be read */
async function requireReadable(database: string): Promise<void> {
  await stat(database).catch((cause: NodeJS.ErrnoException) => {
    const message =
      cause.code === 'ENOENT'
        ? `There is no database ${database}: set DATA_DIR or DATABASE_URL as for the server`
        : `The database ${database} cannot be read (${cause.code}): run this as the user of the server, and check DATA_DIR and DATABASE_URL`
    throw new BackupError(message, { cause })
  })
}

/**
 * Writes a backup into a new folder and verifies it. A server may run meanwhile: the database is copied as it was at one moment,
 * with all media of that moment. If that fails, the folder is emptied.
 * @param folder must not exist, or be empty
 * @throws {BackupError} if it cannot be made
 */
export async function makeBackup(
  settings: Settings,
  folder: string,
  onStep: OnStep = () => {},
): Promise<BackupDescription> {
  const source = localDatabase(settings)
  if (source !== null) await requireReadable(source)
  const what = `The backup cannot be written to ${path.resolve(folder)}`
  await makeEmptyFolder(folder).catch((error: unknown) => {
    throw explainFailure(what, error)
  })
  try {
    return await fill(settings, source, folder, onStep)
  } catch (error) {
    await empty(folder)
    throw explainFailure(what, error)
  }
}
