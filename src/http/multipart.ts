/**
 * Parses a multipart/form-data body (RFC 2046, 7578). The whole body is in memory, and parts are views into it, so that it
 * is in memory only once.
 */
import { AppError } from '../errors.ts'
import { loopTurns } from '../queue/loop-turns.ts'

/** One part of a multipart body. */
export interface Part {
  name: string
  /** `null` for a plain form field. */
  filename: string | null
  /** Declared type without parameters, in lower case; `null` if none was declared. */
  contentType: string | null
  bytes: Uint8Array
}

/** The media type of a header value without its parameters, in lower case. */
export const mediaType = (header: string | null | undefined): string | null =>
  header?.split(';')[0]?.trim().toLowerCase() || null

/** The limit of RFC 2046. */
const boundaryLengthMax = 70
const headerBytesMax = 4 * 1024
/** Bytes to search between two checks of the clock. */
const searchedMax = 2 ** 18

const carriageReturn = 0x0d
const lineFeed = 0x0a
const hyphen = 0x2d
const blankLine = Uint8Array.of(carriageReturn, lineFeed, carriageReturn, lineFeed)

const unreadable = (why = '', cause?: unknown): AppError =>
  new AppError('structure_invalid', `Could not parse body as multipart/form-data${why}`, { cause })

/** @throws {AppError} `structure_invalid` */
export function readBoundary(contentType: string | null): string {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;]+))/i.exec(contentType ?? '') ?? []
  const boundary = quoted ?? plain
  if (!boundary) throw unreadable(': no boundary')
  if (boundary.length > boundaryLengthMax)
    throw unreadable(`: the boundary is longer than ${boundaryLengthMax} characters`)
  return boundary
}

function startsAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  if (at + wanted.length > bytes.length) return false
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false
  return true
}

/** Finds bytes that start with a line break, before `end`; -1 if there are none. Takes linear time for any input. */
function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number, end: number): number {
  const searched = bytes.subarray(0, end)
  for (let at = from - 1; ; ) {
    at = searched.indexOf(carriageReturn, at + 1)
    if (at < 0 || startsAt(bytes, at, wanted)) return at
  }
}

/** A header parameter, quoted (`"a \"b\""`) or plain (`a`). */
const parameterForm = /;\s*([^=;\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g

function parseParameters(value: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, key = '', quoted, plain = ''] of value.matchAll(parameterForm))
    found.set(key.toLowerCase(), quoted === undefined ? plain.trim() : quoted.replace(/\\(.)/g, '$1'))
  return found
}

/** Decodes a file name of RFC 8187 (`UTF-8''a%20b`); `null` if it is not one. */
function decodeExtendedName(value: string | undefined): string | null {
  const [, charset, coded] = /^([\w-]+)'[^']*'(.+)$/.exec(value ?? '') ?? []
  if (!charset || !coded) return null
  const text = coded.replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  try {
    return new TextDecoder(charset).decode(Uint8Array.from(text, (sign) => sign.charCodeAt(0)))
  } catch {
    return null
  }
}

function parseHeaders(bytes: Uint8Array): Map<string, string> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw unreadable(': the headers of a part are not UTF-8', cause)
  }
  const headers = new Map<string, string>()
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return headers
}

function toPart(header: Uint8Array, bytes: Uint8Array): Part {
  const headers = parseHeaders(header)
  const parameters = parseParameters(headers.get('content-disposition') ?? '')
  const name = parameters.get('name')
  if (name === undefined) throw new AppError('structure_invalid', 'A part has no name')
  const filename = decodeExtendedName(parameters.get('filename*')) ?? parameters.get('filename') ?? null
  return { name, filename, contentType: mediaType(headers.get('content-type')), bytes }
}

/**
 * Parses a body. Bytes after the last boundary are ignored.
 * @param partsMax limit for the number of parts, form fields included
 * @throws {AppError} `structure_invalid`; `value_invalid` for too many parts
 */
export async function parseMultipart(body: Uint8Array, boundary: string, partsMax: number): Promise<Part[]> {
  const turn = loopTurns()
  const delimiter = new TextEncoder().encode(`\r\n--${boundary}`)
  const parts: Part[] = []
  if (!startsAt(body, 0, delimiter.subarray(2))) throw unreadable()
  let at = delimiter.length - 2
  while (!(body[at] === hyphen && body[at + 1] === hyphen)) {
    if (body[at] !== carriageReturn || body[at + 1] !== lineFeed) throw unreadable()
    // A part may have no headers, so the search starts at the line break of the boundary.
    const headerEnd = indexOf(body, blankLine, at, at + 2 + headerBytesMax)
    if (headerEnd < 0)
      throw unreadable(`: a part has no headers, or more than ${headerBytesMax} bytes of them`)
    const start = headerEnd + blankLine.length
    let end = -1
    for (let from = start; end < 0; from += searchedMax) {
      if (from >= body.length) throw unreadable(': it ends early')
      end = indexOf(body, delimiter, from, from + searchedMax)
      await turn()
    }
    if (parts.length === partsMax)
      throw new AppError('value_invalid', `More than ${partsMax} parts were sent`)
    parts.push(toPart(body.subarray(at + 2, headerEnd), body.subarray(start, end)))
    at = end + delimiter.length
  }
  return parts
}
