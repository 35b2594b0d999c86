/** Reads request bodies: bounded, byte for byte, whatever the runtime's own form parser would do to them. */
import {
  getMultipartBoundary,
  MaxFileSizeExceededError,
  MaxPartsExceededError,
  MaxTotalSizeExceededError,
  MultipartParseError,
  parseMultipart,
} from '@remix-run/multipart-parser'
import { AppError } from '../errors.ts'

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
const partHeaderBytesMax = 8 * 1024

const tooLarge = (): AppError => new AppError('body_too_large', 'Request data too big')

const endedEarly = (cause?: unknown): AppError =>
  new AppError('structure_invalid', 'The body ended early', { cause })

/** Media type of a header value without its parameters, lower case. */
export const mediaType = (header: string | null | undefined): string | null =>
  header?.split(';')[0]?.trim().toLowerCase() || null

/**
 * Reads a body up to a limit and not a byte further.
 * @throws {AppError} `body_too_large`; `structure_invalid` when the client breaks off
 */
export async function readBody(request: Request, bytesMax: number): Promise<Uint8Array> {
  const announced = Number(request.headers.get('Content-Length') ?? 0)
  if (announced > bytesMax) throw tooLarge()
  const chunks = request.body ? await readChunks(request.body, bytesMax) : []
  const size = chunks.reduce((sum, { length }) => sum + length, 0)
  // A caller who leaves before the first byte is read can look like one who sends nothing.
  if (size < announced || request.signal.aborted) throw endedEarly()
  const body = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}

async function readChunks(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array[]> {
  const reader = stream.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw endedEarly(cause)
    })
    if (done) return chunks
    size += value.length
    if (size > bytesMax) {
      void reader.cancel().catch(() => {})
      throw tooLarge()
    }
    chunks.push(value)
  }
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

/**
 * Reads a multipart body.
 * @throws {AppError} `body_too_large`, `value_invalid` for too many parts, `structure_invalid` when it is no multipart
 */
export async function readParts(request: Request, limits: BodyLimits): Promise<Part[]> {
  const boundary = getMultipartBoundary(request.headers.get('Content-Type') ?? '')
  if (!boundary)
    throw new AppError('structure_invalid', 'Could not parse body as multipart/form-data: no boundary')
  const body = await readBody(request, limits.bytesMax + multipartOverhead)
  const options = {
    boundary,
    maxHeaderSize: partHeaderBytesMax,
    maxFileSize: limits.bytesMax,
    maxParts: limits.partsMax,
    maxTotalSize: limits.bytesMax,
  }
  const parts: Part[] = []
  try {
    for (const part of parseMultipart(body, options)) {
      if (part.name === undefined) throw new AppError('structure_invalid', 'A part has no name')
      const contentType = mediaType(part.headers['content-type'])
      parts.push({ name: part.name, filename: part.filename ?? null, contentType, bytes: part.bytes })
    }
  } catch (error) {
    throw asAppError(error, limits)
  }
  return parts
}

/** UTF-8 text; broken sequences are replaced. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
