/** Blobs in memory, for tests. */
import {
  assertBlob,
  assertBlobKey,
  assertRange,
  type BlobStore,
  findMimeType,
  refuseMalformedKeys,
} from './blob-store.ts'

export interface MemoryBlobs extends BlobStore {
  /** Keys of all stored blobs, sorted. */
  keys(): string[]
}

export function memoryBlobs(): MemoryBlobs {
  const blobs = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    backup: { folder: null, advice: 'The media are in memory, which nothing protects' },
    ...{ isRemote: false, isReadByOthers: false },
    async put(key, bytes, mimeType) {
      assertBlob(key, mimeType)
      blobs.set(key, new Uint8Array(bytes))
    },
    async open(key, range) {
      assertBlobKey(key)
      const bytes = blobs.get(key)
      const mimeType = findMimeType(key)
      if (!bytes || !mimeType) return null
      if (range) assertRange(range, bytes.length)
      const wanted = range ? bytes.slice(range.start, range.end + 1) : bytes
      return { body: new Blob([wanted]).stream(), size: bytes.length, mimeType }
    },
    async read(key) {
      assertBlobKey(key)
      return blobs.get(key)?.slice() ?? null
    },
    async stat(key) {
      assertBlobKey(key)
      const size = blobs.get(key)?.length
      const mimeType = findMimeType(key)
      return size === undefined || !mimeType ? null : { size, mimeType }
    },
    async delete(keys) {
      for (const key of keys) blobs.delete(key)
      return refuseMalformedKeys(keys)
    },
    async check() {},
    keys: () => [...blobs.keys()].sort(),
  }
}
