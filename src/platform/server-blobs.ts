import path from 'node:path'
import type { Settings } from '../settings.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import { fileBlobs } from './file-blobs.ts'
import { openS3 } from './s3.ts'

/** The media of the settings: in a bucket, or below `DATA_DIR`. Nothing is created or asked yet. */
export const openServerBlobs = (settings: Settings): BlobStore =>
  settings.s3Endpoint === '' ? fileBlobs(path.join(settings.dataDir, 'media')) : openS3(settings)
