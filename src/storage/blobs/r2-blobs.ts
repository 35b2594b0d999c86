/** Blobs in an R2 bucket that is bound to a Worker. */
import { AppError } from '../../errors.ts'
import {
  assertBlob,
  assertBlobKey,
  assertRange,
  type BlobStore,
  bucketBackup,
  findMimeType,
  refuseMalformedKeys,
} from './blob-store.ts'

interface R2Object {
  size: number
}

interface R2ObjectBody extends R2Object {
  body: ReadableStream<Uint8Array>
}

/** The part of a bucket binding that is used. */
export interface R2Bucket {
  put(key: string, value: Uint8Array, options: { httpMetadata: { contentType: string } }): Promise<unknown>
  get(key: string, options?: { range: { offset: number; length: number } }): Promise<R2ObjectBody | null>
  head(key: string): Promise<R2Object | null>
  delete(keys: string[]): Promise<void>
}

/** The limit of one call. */
const deletesAtOnce = 1000

/** Messages of the bucket may name keys. */
async function call<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const kind = error instanceof Error ? error.name : typeof error
    throw new AppError('external_failed', 'the media storage failed', {
      cause: new Error(`${name}: ${kind}`),
    })
  }
}

export function r2Blobs(bucket: R2Bucket): BlobStore {
  const open: BlobStore['open'] = async (key, range) => {
    assertBlobKey(key)
    const mimeType = findMimeType(key)
    if (mimeType === null) return null
    if (!range) {
      const whole = await call('get', () => bucket.get(key))
      return whole && { body: whole.body, size: whole.size, mimeType }
    }
    const length = range.end - range.start + 1
    const part = await call('get', () => bucket.get(key, { range: { offset: range.start, length } })).catch(
      async (error: unknown) => {
        // The bucket refuses a range that begins behind the end.
        const whole = await call('head', () => bucket.head(key))
        if (whole) assertRange(range, whole.size)
        throw error
      },
    )
    if (!part) return null
    try {
      assertRange(range, part.size)
    } catch (error) {
      await part.body.cancel()
      throw error
    }
    return { body: part.body, size: part.size, mimeType }
  }
  const check = () => call('head', async () => void (await bucket.head('health')))

  /** A bucket that answers does not tell which blob it refuses, so each half is tried by itself. */
  async function deleteAll(keys: readonly string[], failures: Map<string, Error>): Promise<void> {
    try {
      await call('delete', () => bucket.delete([...keys]))
    } catch (error) {
      const half = keys.length >> 1
      const isAway = await check().then(
        () => false,
        () => true,
      )
      if (half === 0 || isAway) for (const key of keys) failures.set(key, error as AppError)
      else for (const part of [keys.slice(0, half), keys.slice(half)]) await deleteAll(part, failures)
    }
  }

  return {
    ...{ backup: bucketBackup, isRemote: true, isReadByOthers: false },
    open,
    async put(key, bytes, mimeType) {
      assertBlob(key, mimeType)
      await call('put', () => bucket.put(key, bytes, { httpMetadata: { contentType: mimeType } }))
    },
    async read(key) {
      const opened = await open(key)
      if (!opened) return null
      return new Uint8Array(await call('get', () => new Response(opened.body).arrayBuffer()))
    },
    async stat(key) {
      assertBlobKey(key)
      const mimeType = findMimeType(key)
      const found = mimeType === null ? null : await call('head', () => bucket.head(key))
      return found && mimeType ? { size: found.size, mimeType } : null
    },
    async delete(keys) {
      const failures = refuseMalformedKeys(keys)
      const sound = keys.filter((key) => !failures.has(key))
      for (let at = 0; at < sound.length; at += deletesAtOnce)
        await deleteAll(sound.slice(at, at + deletesAtOnce), failures)
      return failures
    },
    check,
  }
}
