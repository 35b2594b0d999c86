/** Blobs (media, thumbnails, reports) by key, wherever they are kept. */
import { invariant } from '../../errors.ts'

/** Bytes of a blob, both ends included. */
export interface BlobRange {
  start: number
  end: number
}

export interface OpenedBlob {
  /** Must be read to its end or cancelled. */
  body: ReadableStream<Uint8Array>
  /** Bytes of the whole blob. */
  size: number
  mimeType: string
}

/**
 * Keeps blobs. Keys have the form of `assertBlobKey`, mime types are the ones of `mimeTypeOf`; anything else is a
 * TypeError. Every other failure is `AppError` `external_failed`, whose message and cause name no key: with links
 * alone, a name is the right to read.
 */
export interface BlobStore {
  /** Durable when it resolves; an existing blob of that key is replaced whole. */
  put(key: string, bytes: Uint8Array, mimeType: string): Promise<void>
  /** `null` when there is none. A range is given only once the size is known, and within it. */
  open(key: string, range?: BlobRange): Promise<OpenedBlob | null>
  /** The whole blob; `null` when there is none. */
  read(key: string): Promise<Uint8Array | null>
  /** Missing blobs are fine. */
  delete(keys: readonly string[]): Promise<void>
  /** Rejects when the store cannot be reached or written to; for health. */
  check(): Promise<void>
}

const mimeTypes: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  json: 'application/json',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  '3gp': 'video/3gpp',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  avi: 'video/x-msvideo',
  ogv: 'video/ogg',
  mpg: 'video/mpeg',
  ts: 'video/mp2t',
  wmv: 'video/x-ms-wmv',
  zip: 'application/zip',
  bin: 'application/octet-stream',
}

/** Characters; leaves room in a file name (255 bytes) for what a store adds to it. */
const keyLengthMax = 200
const keyForm = /^(?:[a-zA-Z0-9_-]+\/)*[a-zA-Z0-9_-]+(?:\.[a-zA-Z0-9]+)*$/

/** Mime type by the extension of a key; `null` for one that no blob has. */
export function mimeTypeOf(key: string): string | null {
  const extension = /\.([a-z0-9]+)$/.exec(key)?.[1] ?? ''
  return Object.hasOwn(mimeTypes, extension) ? mimeTypes[extension]! : null
}

/**
 * Segments of letters, digits, `_` and `-` between single slashes; the last one may have extensions.
 * @throws {TypeError} for any other key, so that none leads out of its store
 */
export function assertBlobKey(key: string): void {
  invariant(key.length <= keyLengthMax && keyForm.test(key), 'a blob key has a wrong form')
}

/** @throws {TypeError} when the key is malformed or its extension says another type */
export function assertBlob(key: string, mimeType: string): void {
  assertBlobKey(key)
  invariant(mimeTypeOf(key) === mimeType, 'a blob is not of the type that its key says')
}

/** @throws {TypeError} when the range is not within `size` bytes */
export function assertRange({ start, end }: BlobRange, size: number): void {
  const isWithin =
    Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end < size
  invariant(isWithin, 'a range is not within its blob')
}
