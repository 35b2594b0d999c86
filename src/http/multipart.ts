/**
 * Parses a multipart/form-data body (RFC 2046, 7578). The whole body is in memory, and parts are views into it, so that it
 * is in memory only once.
 */
import { AppError } from '../errors.ts'
import { loopTurns } from '../queue/loop-turns.ts'
import { findParameter, mediaType, parseFields, parseParameters } from './header-parameters.ts'

/** One part of a multipart body. */
export interface Part {
  name: string
  /** `null` for a plain form field. */
  filename: string | null
  /** Declared type without parameters, in lower case; `null` if none was declared. */
  contentType: string | null
  /** Named by its `Content-Transfer-Encoding`, in lower case. */
  transferEncoding: string | null
  bytes: Uint8Array
}

/** The limit of RFC 2046. */
const boundaryLengthMax = 70
/** Longest headers of a part, and most blanks behind a boundary. */
const headerBytesMax = 4 * 1024
/** Bytes to search between two checks of the clock. */
const searchedMax = 2 ** 18
/** Bytes that are looked at one by one before a jump to the next candidate: a jump to each candidate of a dense row takes five times as long. */
const stepsMax = 64

const [tab, lineFeed, carriageReturn, space, hyphen] = [0x09, 0x0a, 0x0d, 0x20, 0x2d]
const blankLine = Uint8Array.of(carriageReturn, lineFeed, carriageReturn, lineFeed)

const unreadable = (why: string, cause?: unknown): AppError =>
  new AppError('structure_invalid', `Could not parse body as multipart/form-data: ${why}`, { cause })

/** As in `name='a'`: these quotes are part of the value, but few callers mean that. */
const isInSingleQuotes = (value: string): boolean => /^'.*'$/.test(value)

const endsEarly = (): AppError => unreadable('it ends early, the last boundary is missing')
const lineFeedsAlone = (): AppError => unreadable('its lines end in LF; they must end in CR LF')

/** @throws {AppError} `structure_invalid` */
export function readBoundary(contentType: string | null): string {
  const boundary = parseParameters(contentType ?? '').get('boundary')
  if (!boundary) throw unreadable('the Content-Type has no boundary: let your HTTP library write it')
  if (boundary.length > boundaryLengthMax)
    throw unreadable(`the boundary is longer than ${boundaryLengthMax} characters`)
  return boundary
}

function startsAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  if (at + wanted.length > bytes.length) return false
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false
  return true
}

/** Finds bytes that start before `end`; -1 if there are none. Takes linear time for any input, as lines do not overlap. */
function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number, end: number): number {
  const searched = bytes.subarray(0, end)
  for (let at = from; at >= 0 && at < searched.length; at = searched.indexOf(wanted[0]!, at)) {
    const until = Math.min(searched.length, at + stepsMax)
    for (; at < until; at++) if (searched[at] === wanted[0] && startsAt(bytes, at, wanted)) return at
  }
  return -1
}

function toPart(header: Uint8Array, bytes: Uint8Array): Part {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(header)
  } catch (cause) {
    throw unreadable('the headers of a part are not UTF-8', cause)
  }
  const fields = parseFields(text)
  const parameters = parseParameters(fields.get('content-disposition') ?? '')
  const name = findParameter(parameters, 'name')
  if (name === null) throw unreadable('a part has no name in its Content-Disposition')
  if (isInSingleQuotes(name))
    throw unreadable(
      'the name of a part is in single quotes, which count as part of it: use double quotes or none',
    )
  const filename = findParameter(parameters, 'filename')
  const contentType = mediaType(fields.get('content-type'))
  const transferEncoding = fields.get('content-transfer-encoding')?.toLowerCase() ?? null
  return { name, filename, contentType, transferEncoding, bytes }
}

/** Position of the line break behind a boundary and blanks. */
function findLineEnd(body: Uint8Array, from: number): number {
  let at = from
  while ((body[at] === space || body[at] === tab) && at - from < headerBytesMax) at++
  if (body[at] === carriageReturn && body[at + 1] === lineFeed) return at
  if (body[at] === lineFeed) throw lineFeedsAlone()
  throw at < body.length ? unreadable('nothing may follow the boundary in its line') : endsEarly()
}

/** Position of the blank line behind the headers of a part, which may have none: then it begins with the line break of the boundary. */
function findHeaderEnd(body: Uint8Array, delimiter: Uint8Array, from: number): number {
  const end = indexOf(body, blankLine, from, from + 2 + headerBytesMax)
  if (end < 0 || indexOf(body, delimiter, from, end) >= 0)
    throw unreadable(
      `a part has no blank line behind its headers, or more than ${headerBytesMax} bytes of them`,
    )
  return end
}

/**
 * Parses a body. What precedes the first boundary and follows the last one is ignored.
 * @param partsMax limit for the number of parts, form fields included
 * @throws {AppError} `structure_invalid`; `value_invalid` for too many parts
 */
export async function parseMultipart(body: Uint8Array, boundary: string, partsMax: number): Promise<Part[]> {
  const turn = loopTurns()
  const [delimiter, ofLineFeed] = ['\r\n', '\n'].map((end) =>
    new TextEncoder().encode(`${end}--${boundary}`),
  ) as [Uint8Array, Uint8Array]
  const find = async (from: number): Promise<number> => {
    for (let at = from; at < body.length; at += searchedMax) {
      const found = indexOf(body, delimiter, at, at + searchedMax)
      await turn()
      if (found >= 0) return found
    }
    return -1
  }
  let at = delimiter.length - 2
  // The first boundary may begin the body, without a line break.
  if (!startsAt(body, 0, delimiter.subarray(2))) {
    const first = await find(0)
    if (first < 0) {
      if (indexOf(body, ofLineFeed, 0, headerBytesMax) >= 0) throw lineFeedsAlone()
      const quotes = isInSingleQuotes(boundary) ? ', whose single quotes count as part of it' : ''
      throw unreadable(`no line begins with the boundary that the Content-Type names${quotes}`)
    }
    at = first + delimiter.length
  }
  const parts: Part[] = []
  while (!(body[at] === hyphen && body[at + 1] === hyphen)) {
    const lineEnd = findLineEnd(body, at)
    const headerEnd = findHeaderEnd(body, delimiter, lineEnd)
    // The blank line of an empty part may be the line break of the next boundary.
    const end = await find(headerEnd + 2)
    if (end < 0) throw endsEarly()
    if (parts.length === partsMax)
      throw new AppError('value_invalid', `More than ${partsMax} parts were sent`)
    const start = Math.min(end, headerEnd + blankLine.length)
    parts.push(toPart(body.subarray(lineEnd + 2, headerEnd), body.subarray(start, end)))
    at = end + delimiter.length
  }
  return parts
}
