import { AppError } from '../errors.ts'
import { exifOrientation, type Orientation } from './exif.ts'

export interface JpegHeader {
  width: number
  height: number
  /** 1 grey, 3 colour, 4 CMYK or YCCK. */
  components: number
  orientation: Orientation
}

interface Segment {
  marker: number
  /** Offset of the 0xff that starts the marker. */
  start: number
  /** Offset after the segment. */
  end: number
  /** What follows the length field. */
  body: Uint8Array
}

const startOfScan = 0xda
const endOfImage = 0xd9
const app0 = 0xe0
const app1 = 0xe1
const app2 = 0xe2
const app14 = 0xee
const comment = 0xfe

const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
const isStandalone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

/** Walks the segments before the first scan (ITU-T T.81, annex B), the start of scan included. */
function* segments(bytes: Uint8Array): Generator<Segment> {
  let at = 2
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) {
      at++
      continue
    }
    const marker = bytes[at + 1]!
    if (marker === 0xff) {
      at++
    } else if (isStandalone(marker) || marker === 0) {
      at += 2
    } else {
      const end = at + 2 + bytes[at + 2]! * 256 + bytes[at + 3]!
      if (marker === endOfImage || end > bytes.length) return
      yield { marker, start: at, end, body: bytes.subarray(at + 4, end) }
      if (marker === startOfScan) return
      at = end
    }
  }
}

const namedAs = (body: Uint8Array, name: string): boolean =>
  [...name].every((letter, index) => body[index] === letter.charCodeAt(0))

const exifOf = (body: Uint8Array): Orientation =>
  namedAs(body, 'Exif') ? exifOrientation(body.subarray(6)) : 1

/** Says nothing about the colours of the picture: EXIF, XMP, comments and makers' notes. JFIF, Adobe and ICC stay. */
function isMetadata({ marker, body }: Segment): boolean {
  if (marker === comment) return true
  if (marker < app0 || marker > 0xef || marker === app0 || marker === app14) return false
  return !(marker === app2 && namedAs(body, 'ICC_PROFILE'))
}

function hasEnd(bytes: Uint8Array, from: number): boolean {
  for (let at = bytes.length - 2; at >= from; at--) {
    if (bytes[at] === 0xff && bytes[at + 1] === endOfImage) return true
  }
  return false
}

/**
 * Reads the size, the number of components and the orientation without decoding anything.
 * @throws {AppError} `media_unreadable` when the frame header or the scan is missing, or the data end early: the decoder
 *   would fill what is missing with grey and call it a picture
 */
export function readJpegHeader(bytes: Uint8Array): JpegHeader {
  let frame: { width: number; height: number; components: number } | null = null
  let orientation: Orientation = 1
  let scan = 0
  for (const segment of segments(bytes)) {
    const { marker, body, end } = segment
    if (isFrameHeader(marker) && body.length >= 6 && !frame) {
      frame = { height: body[1]! * 256 + body[2]!, width: body[3]! * 256 + body[4]!, components: body[5]! }
    } else if (marker === app1 && orientation === 1) {
      orientation = exifOf(body)
    } else if (marker === startOfScan) {
      scan = end
    }
  }
  if (!frame || scan === 0) throw new AppError('media_unreadable', 'The JPEG has no readable header')
  if (!hasEnd(bytes, scan)) throw new AppError('media_unreadable', 'The JPEG data end early')
  return { ...frame, orientation }
}

/**
 * Copies a JPEG without its metadata (EXIF with place and device, XMP, comments, anything after the end of the image). The coded picture is kept bit for bit.
 */
export function stripJpegMetadata(bytes: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [bytes.subarray(0, 2)]
  for (const segment of segments(bytes)) {
    const { marker, start, end } = segment
    if (marker === startOfScan) kept.push(bytes.subarray(start, imageEnd(bytes, end)))
    else if (!isMetadata(segment)) kept.push(bytes.subarray(start, end))
  }
  const out = new Uint8Array(kept.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of kept) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** Offset after the first end-of-image marker behind the scan. Inside coded data 0xff is always followed by 0 or RSTn. */
function imageEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    if (bytes[at] === 0xff && bytes[at + 1] === endOfImage) return at + 2
  }
  return bytes.length
}
