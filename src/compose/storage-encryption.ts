/** Encryption of what is stored, with the keys of the settings. */
import { AppError } from '../errors.ts'
import { type GallerySnapshots, noSnapshots } from '../gallery/source.ts'
import type { Persistence, Platform } from '../platform/platform.ts'
import { isStorageKeyText, parseStorageKeys, type Settings, storageKeysForm } from '../settings.ts'
import type { Database } from '../storage/database.ts'
import { type DataKeyOptions, DataKeys, requireKeks, useKeks } from '../storage/encryption/data-keys.ts'
import { encryptedBlobs } from '../storage/encryption/encrypted-blobs.ts'
import { importKek, type KeyEncryptionKey } from '../storage/encryption/envelope.ts'
import { noCipher, type RowCipher } from '../storage/encryption/row-cipher.ts'

type Files = Pick<Platform, 'readText'>

/** The keys of the settings, as text or from their file; none if there are none. @throws {AppError} `value_invalid` */
export async function readKeks({ readText }: Files, { storageKeys }: Settings): Promise<KeyEncryptionKey[]> {
  if (storageKeys === '') return []
  const text = isStorageKeyText(storageKeys) ? storageKeys : await readFile(readText, storageKeys)
  const keys = parseStorageKeys(text)
  if (!keys)
    throw new AppError('value_invalid', `Settings: the file of STORAGE_KEYS must have ${storageKeysForm}`)
  return Promise.all(keys.map(({ id, bytes }) => importKek(id, bytes)))
}

async function readFile(readText: Platform['readText'], file: string): Promise<string> {
  try {
    return await readText(file)
  } catch (cause) {
    const code = (cause as { code?: unknown }).code ?? 'unknown'
    throw new AppError('value_invalid', `Settings: the file of STORAGE_KEYS cannot be read (${code})`, {
      cause,
    })
  }
}

/** The keys of the settings, which are those of what is stored. @throws {AppError} `value_invalid` if they are not */
export async function checkKeks(
  files: Files,
  settings: Settings,
  database: Database,
): Promise<KeyEncryptionKey[]> {
  const keks = await readKeks(files, settings)
  await requireKeks(database, keks)
  return keks
}

/**
 * The data-encryption keys of a database; `null` without STORAGE_KEYS.
 * @throws {AppError} `value_invalid` if STORAGE_KEYS cannot unwrap what is stored
 */
export async function openDataKeys(
  platform: Files & Pick<Platform, 'nowMs'>,
  settings: Settings,
  database: Database,
  options: DataKeyOptions = {},
): Promise<DataKeys | null> {
  const [first, ...others] = await checkKeks(platform, settings, database)
  if (first) await useKeks(database, [first, ...others])
  return first ? new DataKeys(database, [first, ...others], platform.nowMs, options) : null
}

/** Snapshots hold templates in plain. */
async function dropSnapshots(snapshots: GallerySnapshots): Promise<void> {
  for (const collectionId of await snapshots.list()) await snapshots.remove(collectionId)
}

/** The stores as the services see them, and what encrypts rows. @throws {AppError} as `openDataKeys` */
export async function encryptPersistence(
  platform: Files & Pick<Platform, 'nowMs'>,
  settings: Settings,
  persistence: Persistence,
): Promise<{ persistence: Persistence; cipher: RowCipher; keys: DataKeys | null }> {
  const keys = await openDataKeys(platform, settings, persistence.database)
  if (!keys) return { persistence, cipher: noCipher, keys }
  await dropSnapshots(persistence.snapshots)
  const blobs = encryptedBlobs(persistence.blobs, keys)
  return { persistence: { ...persistence, blobs, snapshots: noSnapshots }, cipher: keys, keys }
}
