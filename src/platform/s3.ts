import type { Settings } from '../settings.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import { s3Blobs } from '../storage/blobs/s3-blobs.ts'

/** The bucket that the settings name. */
export const openS3 = (settings: Settings): BlobStore =>
  s3Blobs({
    endpoint: settings.s3Endpoint,
    bucket: settings.s3Bucket,
    region: settings.s3Region,
    accessKeyId: settings.s3AccessKeyId,
    secretAccessKey: settings.s3SecretAccessKey,
    timeoutMs: settings.externalTimeoutS * 1000,
  })
