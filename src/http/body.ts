/** Reads request bodies: bounded, byte for byte, whatever the runtime's own form parser would do to them. */
import {
  getMultipartBoundary,
  MaxFileSizeExceededError,
  MaxPartsExceededError,
  MaxTotalSizeExceededError,
  MultipartParseError,
  MultipartParser,
  type MultipartPart,
} from '@remix-run/multipart-parser'
import { AppError } from '../errors.ts'
import { loopTurns } from '../queue/loop-turns.ts'

export interface BodyLimits {
  /** Bytes of all parts together, or of the whole body where it has no parts. */
  bytesMax: number
  /** Parts at most, form fields included. */
  partsMax: number
}

/** One part of a multipart body. */
export interface Part {
  name: string
  /** `null` for a plain form field. */
  filename: string | null
  /** Declared type without parameters, lower case; `null` when none was declared. */
  contentType: string | null
  bytes: Uint8Array
}

/** Boundaries and part headers on top of the parts themselves. */
const multipartOverhead = 2 ** 20
const partHeaderBytesMax = 4 * 1024

const tooLarge = (): AppError => new AppError('body_too_large', 'Request data too big')

const endedEarly = (cause?: unknown): AppError =>
  new AppError('structure_invalid', 'The body ended early', { cause })

/** Media type of a header value without its parameters, lower case. */
export const mediaType = (header: string | null | undefined): string | null =>
  header?.split(';')[0]?.trim().toLowerCase() || null

/** Pieces of a body are this long at most, and shorter ones are put together: each costs something of its own. */
const pieceBytesMax = 2 ** 20
const pieceBytesMin = 2 ** 14

/** Collects what comes in pieces of any length. */
class Pieces {
  readonly #pieces: Uint8Array[] = []
  readonly #crumbs = new Uint8Array(pieceBytesMin)
  #crumbBytes = 0
  size = 0

  add(bytes: Uint8Array): void {
    this.size += bytes.length
    if (this.#crumbBytes + bytes.length > pieceBytesMin) this.#flush()
    if (bytes.length < pieceBytesMin) {
      this.#crumbs.set(bytes, this.#crumbBytes)
      this.#crumbBytes += bytes.length
      return
    }
    for (let at = 0; at < bytes.length; at += pieceBytesMax)
      this.#pieces.push(bytes.subarray(at, at + pieceBytesMax))
  }

  #flush(): void {
    if (this.#crumbBytes > 0) this.#pieces.push(this.#crumbs.slice(0, this.#crumbBytes))
    this.#crumbBytes = 0
  }

  end(): readonly Uint8Array[] {
    this.#flush()
    return this.#pieces
  }
}

/** Reads a body up to a limit and not a byte further. */
async function readPieces(request: Request, bytesMax: number): Promise<Pieces> {
  const announced = Number(request.headers.get('Content-Length') ?? 0)
  if (announced > bytesMax) throw tooLarge()
  const pieces = new Pieces()
  if (request.body) await readStream(request.body, bytesMax, pieces)
  // A caller who leaves before the first byte is read can look like one who sends nothing.
  if (pieces.size < announced || request.signal.aborted) throw endedEarly()
  return pieces
}

async function readStream(
  stream: ReadableStream<Uint8Array>,
  bytesMax: number,
  pieces: Pieces,
): Promise<void> {
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw endedEarly(cause)
    })
    if (done) return
    if (pieces.size + value.length > bytesMax) {
      void reader.cancel().catch(() => {})
      throw tooLarge()
    }
    pieces.add(value)
  }
}

/**
 * Reads a body up to a limit and not a byte further.
 * @throws {AppError} `body_too_large`; `structure_invalid` when the client breaks off
 */
export async function readBody(request: Request, bytesMax: number): Promise<Uint8Array> {
  const pieces = await readPieces(request, bytesMax)
  const body = new Uint8Array(pieces.size)
  let at = 0
  for (const piece of pieces.end()) {
    body.set(piece, at)
    at += piece.length
  }
  return body
}

function asAppError(error: unknown, { partsMax }: BodyLimits): unknown {
  if (error instanceof MaxTotalSizeExceededError || error instanceof MaxFileSizeExceededError)
    return tooLarge()
  if (error instanceof MaxPartsExceededError)
    return new AppError('value_invalid', `More than ${partsMax} parts were sent`)
  if (error instanceof MultipartParseError) {
    return new AppError('structure_invalid', 'Could not parse body as multipart/form-data', { cause: error })
  }
  return error
}

/** As RFC 2046 has it. Looking for a long one in a body that nearly repeats it takes long. */
const boundaryLengthMax = 70

function boundaryOf(request: Request): string {
  const boundary = getMultipartBoundary(request.headers.get('Content-Type') ?? '')
  if (!boundary)
    throw new AppError('structure_invalid', 'Could not parse body as multipart/form-data: no boundary')
  if (boundary.length > boundaryLengthMax)
    throw new AppError(
      'structure_invalid',
      `Could not parse body as multipart/form-data: the boundary is longer than ${boundaryLengthMax} characters`,
    )
  return boundary
}

function isFinished(parser: MultipartParser): boolean {
  try {
    parser.finish()
    return true
  } catch {
    return false
  }
}

/** What follows the last boundary is not looked at. */
async function* multipartOf(parser: MultipartParser, pieces: Pieces): AsyncGenerator<MultipartPart> {
  const turn = loopTurns()
  for (const piece of pieces.end()) {
    if (isFinished(parser)) return
    for (const part of parser.write(piece)) {
      yield part
      await turn()
    }
    await turn()
  }
  parser.finish()
}

function partOf(part: MultipartPart): Part {
  const { name, filename = null, headers, bytes } = part
  if (name === undefined) throw new AppError('structure_invalid', 'A part has no name')
  return { name, filename, contentType: mediaType(headers['content-type']), bytes }
}

/**
 * Reads a multipart body.
 * @throws {AppError} `body_too_large`, `value_invalid` for too many parts, `structure_invalid` when it is no multipart
 */
export async function readParts(request: Request, limits: BodyLimits): Promise<Part[]> {
  const parser = new MultipartParser(boundaryOf(request), {
    maxHeaderSize: partHeaderBytesMax,
    maxFileSize: limits.bytesMax,
    maxParts: limits.partsMax,
    maxTotalSize: limits.bytesMax,
  })
  const pieces = await readPieces(request, limits.bytesMax + multipartOverhead)
  const parts: Part[] = []
  if (pieces.size === 0) return parts
  try {
    for await (const part of multipartOf(parser, pieces)) parts.push(partOf(part))
  } catch (error) {
    throw asAppError(error, limits)
  }
  return parts
}

/** UTF-8 text; broken sequences are replaced. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
