/** Blobs (media, thumbnails, reports) by key, for any storage backend. */
import { invariant } from '../../errors.ts'
import { typeOfExtension } from '../../records/file-types.ts'

/** Byte positions within a blob, both inclusive. */
export interface BlobRange {
  start: number
  end: number
}

export interface BlobFacts {
  /** Bytes of the whole blob, also when a range was opened. */
  size: number
  mimeType: string
}

export interface OpenedBlob extends BlobFacts {
  /** Must be read to its end or cancelled. */
  body: ReadableStream<Uint8Array>
}

/** A folder of this machine with a file for each blob, which backups copy; where there is none, they say what protects the blobs. */
export type BlobBackup = { readonly folder: string } | { readonly folder: null; readonly advice: string }

/** What protects the objects of a bucket. */
export const bucketBackup: BlobBackup = {
  folder: null,
  advice: 'The media are in a bucket: protect them with versions or replication of the bucket',
}

/** Why blobs could not be deleted, by key. */
export type DeleteFailures = ReadonlyMap<string, Error>

/**
 * Stores blobs. Keys pass `assertBlobKey`, mime types are those of `findMimeType`; anything else is a `TypeError`. Every
 * other failure is `AppError` `external_failed`. Its message and cause never name a key: where files are served without a
 * token, whoever knows the name may read the file.
 * @example
 * ```ts
 * import type { BlobStore } from './blob-store.ts'
 * import { memoryBlobs } from './memory-blobs.ts'
 *
 * const store: BlobStore = memoryBlobs()
 * await store.put('folder-1/photo.jpg', Uint8Array.of(1, 2, 3), 'image/jpeg')
 * const opened = await store.open('folder-1/photo.jpg', { start: 1, end: 2 })
 * opened?.size // → 3
 * new Uint8Array(await new Response(opened?.body).arrayBuffer()) // → Uint8Array.of(2, 3)
 * await store.stat('folder-1/photo.jpg') // → { size: 3, mimeType: 'image/jpeg' }
 * const failures = await store.delete(['folder-1/photo.jpg'])
 * failures.size // → 0
 * await store.read('folder-1/photo.jpg') // → null
 * ```
 */
export interface BlobStore {
  /** What backups do with the blobs. */
  readonly backup: BlobBackup
  /** Whether each access is a call of another machine. */
  readonly isRemote: boolean
  /** Whether programs of the operator read the blobs, too: then results of analyses lie beside media. */
  readonly isReadByOthers: boolean
  /** Resolves once the blob is durable. Replaces an existing blob of that key. */
  put(key: string, bytes: Uint8Array, mimeType: string): Promise<void>
  /** `null` if the blob does not exist. A range must lie within the blob, so the caller needs to know its size. */
  open(key: string, range?: BlobRange): Promise<OpenedBlob | null>
  /** The whole blob; `null` if it does not exist. */
  read(key: string): Promise<Uint8Array | null>
  /** Looks a blob up without opening it; `null` if it does not exist. */
  stat(key: string): Promise<BlobFacts | null>
  /**
   * Deletes each blob by itself, so that one that cannot be deleted stops no other; ignores those that do not exist. Never rejects.
   * @returns the blobs that may still exist
   */
  delete(keys: readonly string[]): Promise<DeleteFailures>
  /** For health checks: rejects if the store cannot be reached or written to. */
  check(): Promise<void>
}

/** Characters. Leaves room in a file name (255 bytes) for the suffix that a store adds. */
const keyLengthMax = 200
const keyForm = /^(?:[a-zA-Z0-9_-]+\/)*[a-zA-Z0-9_-]+(?:\.[a-zA-Z0-9]+)*$/

/** The mime type for a key's extension; `null` for an unknown extension. */
export const findMimeType = (key: string): string | null =>
  typeOfExtension(/\.([a-z0-9]+)$/.exec(key)?.[1] ?? '')

/**
 * A key has segments of letters, digits, `_` and `-`, separated by single slashes; the last one may have extensions.
 * @throws {TypeError} for any other key, so that no key can point outside of the store
 */
export function assertBlobKey(key: string): void {
  invariant(key.length <= keyLengthMax && keyForm.test(key), 'a blob key has a wrong form')
}

/** The failures of the keys that are malformed, to which a store adds those of the others. */
export function refuseMalformedKeys(keys: readonly string[]): Map<string, Error> {
  const failures = new Map<string, Error>()
  for (const key of keys) {
    try {
      assertBlobKey(key)
    } catch (error) {
      failures.set(key, error as TypeError)
    }
  }
  return failures
}

/** @throws {TypeError} if the key is malformed or its extension stands for another type */
export function assertBlob(key: string, mimeType: string): void {
  assertBlobKey(key)
  invariant(findMimeType(key) === mimeType, 'a blob is not of the type that its key says')
}

/** @throws {TypeError} if the range is not within `size` bytes */
export function assertRange({ start, end }: BlobRange, size: number): void {
  const isWithin =
    Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end < size
  invariant(isWithin, 'a range is not within its blob')
}
