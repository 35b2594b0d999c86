import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import { fileBlobs } from './file-blobs.ts'
import { openS3 } from './s3.ts'

/** The media of the settings: in a bucket, or below `DATA_DIR`. Nothing is created or asked yet. */
export const openServerBlobs = (settings: Settings): BlobStore =>
  settings.s3Endpoint === '' ? fileBlobs(path.join(settings.dataDir, 'media')) : openS3(settings)

/** What a new database beside media means. */
export const lostDatabase =
  'the database is new, but DATA_DIR has media of an earlier one: if that was lost, stop the server and restore a backup (docs/operate.md#back-up-and-restore)'

/** Whether there are media in a folder of this machine. @throws {AppError} `database_failed` if it cannot be read */
export async function hasLocalMedia({ backup: { folder } }: BlobStore): Promise<boolean> {
  if (folder === null) return false
  return readdir(folder).then(
    (names) => names.length > 0,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      const message = `the folder of media in DATA_DIR cannot be read (${error.code})`
      throw new AppError('database_failed', message, { cause: error })
    },
  )
}
