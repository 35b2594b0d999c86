/** Blobs in a bucket of an S3-compatible store. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { AwsClient } from 'aws4fetch'
import { AppError, invariant } from '../../errors.ts'
import { pause, withTimeout } from '../../queue/timers.ts'
import {
  assertBlob,
  assertBlobKey,
  assertRange,
  type BlobRange,
  type BlobStore,
  bucketBackup,
  findMimeType,
  refuseMalformedKeys,
} from './blob-store.ts'

export interface S3Options {
  /** Address of the store, without the bucket. */
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Milliseconds until the response starts, retries included, and at most between two chunks of a body. */
  timeoutMs: number
}

type Send = (method: string, key: string, init?: RequestInit) => Promise<Response | null>

/** Milliseconds before each retry. Every call is idempotent. */
const retryDelaysMs = [100, 400]
const deletesAtOnce = 8

const isTransient = (status: number): boolean => status === 429 || status >= 500

/** The cause is logged, so it holds no address, credential or body. */
function storeFailure(method: string, reason: string): AppError {
  return new AppError('external_failed', 'the blob store failed', {
    cause: new Error(`${method}: ${reason}`),
  })
}

/** The runtime's reason for a failed call, without the address: some runtimes include it, and with it the key. */
function describeFailure(error: unknown): string {
  const { cause, code, message } = error as Error & { cause?: { code?: string }; code?: string | number }
  return cause?.code ?? (typeof code === 'string' ? code : message.replace(/https?:\S+/gi, 'its address'))
}

/** @throws {TypeError} if the endpoint is not a plain http(s) URL */
function bucketAddress({ endpoint, bucket }: S3Options): string {
  invariant(URL.canParse(endpoint), 'the endpoint of the blob store is no URL')
  const { protocol, username, password, search, hash, href } = new URL(endpoint)
  invariant(/^https?:$/.test(protocol), 'the endpoint of the blob store is not on the web')
  invariant(`${username}${password}${search}${hash}` === '', 'the endpoint of the blob store is no plain URL')
  return `${href.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}`
}

async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** The store's error code, such as `AccessDenied`; the rest of the response is ignored. */
async function errorCode(response: Response): Promise<string> {
  return /<Code>(\w{1,64})<\/Code>/.exec(await response.text())?.[1] ?? ''
}

/** Passes a body through, and fails if its source sends nothing for `idleMs`. */
function failOnStall(body: ReadableStream<Uint8Array>, idleMs: number): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await withTimeout(reader.read(), idleMs, () => {
            throw new Error('the body stalled')
          })
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          void reader.cancel().catch(() => {})
          throw storeFailure('GET', describeFailure(error))
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** Makes the function that calls the store with retries for transient failures. It returns `null` for a missing blob. */
function createSender(options: S3Options): Send {
  const address = bucketAddress(options)
  const { accessKeyId, secretAccessKey, region, timeoutMs } = options
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })

  async function fetchWithRetries(url: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    for (const delayMs of retryDelaysMs) {
      try {
        const response = await client.fetch(url, { ...init, signal })
        if (!isTransient(response.status)) return response
        await response.body?.cancel()
      } catch (error) {
        if (signal.aborted) throw error
      }
      await pause(delayMs)
    }
    return client.fetch(url, { ...init, signal })
  }

  return async (method, key, init = {}) => {
    const url = key === '' ? address : `${address}/${key}`
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), timeoutMs)
    try {
      // Following a redirect would send the signature to another host.
      const asked: RequestInit = { ...init, method, redirect: 'manual' }
      const response = await fetchWithRetries(url, asked, deadline.signal)
      if (response.ok || response.status === 416) return response
      const code = await errorCode(response)
      if (response.status === 404 && code !== 'NoSuchBucket') return null
      throw storeFailure(method, `answered ${response.status} ${code}`)
    } catch (error) {
      if (error instanceof AppError) throw error
      throw storeFailure(method, deadline.signal.aborted ? 'no answer in time' : describeFailure(error))
    } finally {
      clearTimeout(timer)
    }
  }
}

const findFailure = (work: Promise<unknown>): Promise<Error | null> =>
  work.then(
    () => null,
    (error: unknown) => error as Error,
  )

/** Size in bytes of a blob that is returned whole; `null` for any other response. */
function readWholeSize({ status, headers }: Response): number | null {
  const told = /^\d+$/.exec(headers.get('Content-Length') ?? '')
  return status === 200 && told ? Number(told[0]) : null
}

/**
 * Size in bytes of the whole blob, when exactly this range of it is returned; `null` for any other response.
 * @throws {TypeError} if the range is not within the blob
 */
function readRangedSize({ status, headers }: Response, range: BlobRange): number | null {
  if (status === 416) assertRange(range, 0)
  const [, start, end, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('Content-Range') ?? '') ?? []
  if (status !== 206 || size === undefined) return null
  // A store shortens a range that ends beyond the blob.
  assertRange(range, Number(size))
  return Number(start) === range.start && Number(end) === range.end ? Number(size) : null
}

/** Blobs in one bucket, with path-style addresses. The bucket must exist, and the credentials must allow listing it. */
export function s3Blobs(options: S3Options): BlobStore {
  const send = createSender(options)

  async function sendOrFail(method: string, key: string, init: RequestInit = {}): Promise<void> {
    const response = await send(method, key, init)
    if (!response) throw storeFailure(method, 'there is no such bucket')
    await response.body?.cancel()
  }

  const open: BlobStore['open'] = async (key, range) => {
    assertBlobKey(key)
    const mimeType = findMimeType(key)
    if (mimeType === null) return null
    const headers = range ? { Range: `bytes=${range.start}-${range.end}` } : {}
    const response = await send('GET', key, { headers })
    if (!response) return null
    try {
      const size = range ? readRangedSize(response, range) : readWholeSize(response)
      if (size === null) throw storeFailure('GET', `answered ${response.status} without what was asked`)
      const source = response.body ?? new Blob().stream()
      return { body: failOnStall(source, options.timeoutMs), size, mimeType }
    } catch (error) {
      await response.body?.cancel()
      throw error
    }
  }

  const check = () => sendOrFail('HEAD', '')

  /** @returns how many were deleted */
  async function deleteGroup(keys: readonly string[], failures: Map<string, Error>): Promise<number> {
    const results = await Promise.all(
      keys.map(async (key) => {
        const failure = await findFailure(send('DELETE', key).then((response) => response?.body?.cancel()))
        if (failure) failures.set(key, failure)
        return failure === null
      }),
    )
    return results.filter(Boolean).length
  }

  return {
    ...{ backup: bucketBackup, isRemote: true, isReadByOthers: true },
    open,
    async put(key, bytes, mimeType) {
      assertBlob(key, mimeType)
      // Callers never pass views of shared memory.
      const body = bytes as Uint8Array<ArrayBuffer>
      const headers = { 'Content-Type': mimeType, 'X-Amz-Content-Sha256': await sha256Hex(body) }
      await sendOrFail('PUT', key, { body, headers })
    },
    async read(key) {
      const opened = await open(key)
      return opened && new Uint8Array(await new Response(opened.body).arrayBuffer())
    },
    async stat(key) {
      assertBlobKey(key)
      const mimeType = findMimeType(key)
      if (mimeType === null) return null
      const response = await send('HEAD', key)
      if (response) {
        const size = readWholeSize(response)
        if (size === null) throw storeFailure('HEAD', `answered ${response.status} without a size`)
        return { size, mimeType }
      }
      // The answer has no body that would tell a missing bucket from a missing blob.
      await check()
      return null
    },
    async delete(keys) {
      const failures = refuseMalformedKeys(keys)
      const sound = keys.filter((key) => !failures.has(key))
      for (let at = 0; at < sound.length; at += deletesAtOnce) {
        const deleted = await deleteGroup(sound.slice(at, at + deletesAtOnce), failures)
        const rest = sound.slice(at + deletesAtOnce)
        const away = deleted === 0 && rest.length > 0 ? await findFailure(check()) : null
        if (!away) continue
        // The others would each wait for their time limit.
        for (const key of rest) failures.set(key, away)
        break
      }
      return failures
    },
    check,
  }
}
