/** Reads request bodies, with limits on their size, their pace and the memory of all of them. */

import { AppError } from '../errors.ts'
import { allocateMediaMemory, pieceBytes } from '../media/media-memory.ts'
import { loopTurns } from '../queue/loop-turns.ts'
import type { BodyClaim } from './body-memory-budget.ts'
import type { BodyPace } from './body-pace.ts'
import { type Part, parseMultipart, readBoundary } from './multipart.ts'
import { decodePart } from './transfer-encoding.ts'

/** An unread body with its limits. */
export interface IncomingBody {
  request: Request
  /** Released by its creator once the request is answered. */
  claim: BodyClaim
  pace: BodyPace
  /** Set when the body is read as a container, whose refusals have one message. */
  isContainer?: true
}

interface BodyLimits {
  /** Bytes of all parts together. */
  bytesMax: number
  /** The limit that a refusal names, if the parts are encoded; default: `bytesMax`. */
  decodedMax?: number
  /** Number of parts, form fields included. */
  partsMax: number
}

/** Boundaries and part headers on top of the parts themselves. */
export const multipartOverhead = 2 ** 20
/** Base64 is a third longer, and may have line breaks. */
export const encodedShare = 1.5
/** Bytes allocated at first for a body without a `Content-Length`. */
const unknownLength = 2 ** 16

/** Rounded up, so that a limit that is exceeded is not shown as kept. */
const megabytes = (bytes: number): number => Math.ceil((bytes / 2 ** 20) * 100) / 100

/**
 * @param bytes what was sent, as far as it is known
 * @param bytesMax the limit that callers know
 */
export const tooLarge = (bytes: number, bytesMax: number): AppError =>
  new AppError(
    'body_too_large',
    `Request data too big: ${megabytes(bytes)} MB or more; at most ${megabytes(bytesMax)} MB`,
    { details: { bytes, bytes_max: bytesMax } },
  )

const endedEarly = (cause?: unknown): AppError =>
  new AppError('structure_invalid', 'The body ended early', { cause })

/** @throws {AppError} `structure_invalid` for a length that is no number, such as that of two headers */
function announcedBytes({ headers }: Request): number {
  const length = headers.get('Content-Length') ?? '0'
  if (!/^\d+$/.test(length))
    throw new AppError('structure_invalid', 'The Content-Length must be one number of bytes')
  return Number(length)
}

/** Their names may be repeated in a refusal. */
const knownCodings = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'compress'])

/** @throws {AppError} `content_type_invalid` for a compressed body: media hardly shrink, and a small body may unpack to gigabytes */
function refuseCoded({ headers }: Request): void {
  const codings = (headers.get('Content-Encoding') ?? '').toLowerCase().split(',')
  const coding = codings.map((name) => name.trim()).find((name) => name !== '' && name !== 'identity')
  if (coding === undefined) return
  const named = knownCodings.has(coding) ? coding : 'another one'
  throw new AppError(
    'content_type_invalid',
    `The body is compressed (Content-Encoding: ${named}); send it as it is`,
    { details: { key_path: 'Content-Encoding', expected: 'identity' }, place: 'Content-Encoding' },
  )
}

/** Collects pieces in one buffer, so that a body is in memory only once. */
class ByteCollector {
  #bytes: Uint8Array<ArrayBuffer>
  size = 0

  constructor(expected: number) {
    this.#bytes = allocateMediaMemory(expected)
  }

  add(piece: Uint8Array): void {
    const size = this.size + piece.length
    if (size > this.#bytes.length) {
      const longer = allocateMediaMemory(Math.max(size, 2 * this.#bytes.length))
      longer.set(this.#bytes.subarray(0, this.size))
      this.#bytes = longer
    }
    this.#bytes.set(piece, this.size)
    this.size = size
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.size)
  }
}

/**
 * Reads a body up to a size limit.
 * @param tooLong makes the refusal of a body of more bytes, which may name another limit: that of what is in the body
 * @throws {AppError} `content_type_invalid` for a compressed body; `body_too_large`; `structure_invalid` if the client
 *   disconnects; `body_too_slow`; `overloaded`, for a body of known length before anything is read
 */
export async function readBody(
  incoming: IncomingBody,
  bytesMax: number,
  tooLong = (bytes: number): AppError => tooLarge(bytes, bytesMax),
): Promise<Uint8Array<ArrayBuffer>> {
  const { request, claim } = incoming
  refuseCoded(request)
  const announced = announcedBytes(request)
  const refuseAbove = (bytes: number): void => {
    if (bytes > bytesMax) throw tooLong(bytes)
  }
  refuseAbove(announced)
  claim.growTo(announced)
  const collected = new ByteCollector(request.body ? announced || unknownLength : 0)
  if (request.body) await readStream(request.body, refuseAbove, incoming, collected)
  // A client that disconnects before the first byte is read can look like one that sends an empty body. One that goes after its
  // last byte, as a page does that ends with its report, has said all.
  const isWhole = announced > 0 ? collected.size >= announced : !request.signal.aborted
  if (!isWhole) throw endedEarly()
  return collected.bytes
}

async function readStream(
  stream: ReadableStream<Uint8Array>,
  refuseAbove: (bytes: number) => void,
  { claim, pace }: IncomingBody,
  collected: ByteCollector,
): Promise<void> {
  const reader = stream.getReader()
  const turn = loopTurns()
  let bytesOfTurn = 0
  const read = () =>
    reader.read().catch((cause: unknown) => {
      throw endedEarly(cause)
    })
  try {
    for (let piece = await pace.next(read()); !piece.done; piece = await pace.next(read())) {
      const size = collected.size + piece.value.length
      refuseAbove(size)
      claim.growTo(size)
      collected.add(piece.value)
      bytesOfTurn += piece.value.length
      if (bytesOfTurn < pieceBytes) continue
      bytesOfTurn = 0
      await turn()
    }
  } catch (error) {
    reader.releaseLock()
    throw error
  }
}

/** The reader of a body that nobody else reads; `null` if there is none, or its sender has gone: then runtimes throw. */
function openRest(request: Request): ReadableStreamDefaultReader<Uint8Array> | null {
  try {
    const { body } = request
    return !body || body.locked ? null : body.getReader()
  } catch {
    return null
  }
}

/**
 * Reads what is left of a body that was refused, and drops it. A client that sends before it reads would otherwise meet a
 * closed connection instead of the answer. Ends when the sender is slower than the limits, or sends more. Never rejects: nobody
 * may wait for it.
 */
export async function discardRest({ request, pace }: IncomingBody, bytesMax: number): Promise<void> {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const reader = openRest(request)
  if (!reader) return
  const restPace = pace.ofRest()
  const read = () => restPace.next(reader.read())
  try {
    let bytes = 0
    for (let piece = await read(); !piece.done; piece = await read()) {
      bytes += piece.value.length
      if (bytes > bytesMax) return await reader.cancel()
    }
  } catch {
    await reader.cancel().catch(() => {})
  }
}

/**
 * Reads a multipart body. Its parts are views into one buffer; those that are base64 by their own header are decoded.
 * @throws {AppError} as `readBody`; `value_invalid` for too many parts, `structure_invalid` if the body is not multipart
 */
export async function readParts(incoming: IncomingBody, limits: BodyLimits): Promise<Part[]> {
  const boundary = readBoundary(incoming.request.headers.get('Content-Type'))
  const namedMax = limits.decodedMax ?? limits.bytesMax
  const body = await readBody(incoming, limits.bytesMax + multipartOverhead, (bytes) =>
    tooLarge(bytes, namedMax),
  )
  if (body.length === 0) return []
  const parts: Part[] = []
  for (const part of await parseMultipart(body, boundary, limits.partsMax)) parts.push(await decodePart(part))
  const size = parts.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (size > limits.bytesMax) throw tooLarge(size, namedMax)
  return parts
}

/** Decodes UTF-8; invalid sequences are replaced. */
export const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
