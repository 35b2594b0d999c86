import { AppError } from '../errors.ts'
import { joinBytes } from '../join-bytes.ts'
import { type Orientation, readExifOrientation } from './exif.ts'

export interface JpegHeader {
  width: number
  height: number
  /** 1 grey, 3 colour, 4 CMYK or YCCK. */
  components: number
  orientation: Orientation
  /** Number of scans in the coded data. */
  scans: number
  /** Bytes of the coefficients that a decoder keeps between scans; 0 if one scan has the whole picture. */
  coefficientBytes: number
}

interface Segment {
  marker: number
  /** Offset of the marker's 0xff. */
  start: number
  /** Offset of the segment's end; a scan includes its coded data. */
  end: number
  /** Content after the length field; for a scan, header and coded data. */
  body: Uint8Array
}

const startOfScan = 0xda
const endOfImage = 0xd9
const app0 = 0xe0
const app1 = 0xe1
const app2 = 0xe2
const app14 = 0xee
const comment = 0xfe

const progressiveFrame = 0xc2

const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
const isStandalone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

/** Finds the end of coded data: inside them 0xff is always followed by 0 or a restart marker. */
function findCodedEnd(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 2)) {
    const next = bytes[at + 1]
    if (next !== 0 && !(next !== undefined && next >= 0xd0 && next <= 0xd7)) return at
  }
  return bytes.length
}

/**
 * Walks the segments from the start of the image to its end marker (ITU-T T.81, annex B). If the last segment is not the end
 * marker, the data are damaged.
 */
function* walkSegments(bytes: Uint8Array): Generator<Segment> {
  for (let at = bytes.indexOf(0xff, 2); at >= 0; at = bytes.indexOf(0xff, at)) {
    const marker = bytes[at + 1]
    if (marker === undefined) return
    if (marker === 0xff) {
      at++
    } else if (isStandalone(marker) || marker === 0) {
      at += 2
    } else if (marker === endOfImage) {
      yield { marker, start: at, end: at + 2, body: bytes.subarray(at + 2, at + 2) }
      return
    } else {
      if (at + 4 > bytes.length) return
      const headEnd = at + 2 + Math.max(2, bytes[at + 2]! * 256 + bytes[at + 3]!)
      if (headEnd > bytes.length) return
      const end = marker === startOfScan ? findCodedEnd(bytes, headEnd) : headEnd
      yield { marker, start: at, end, body: bytes.subarray(at + 4, end) }
      at = end
    }
  }
}

const startsWithName = (body: Uint8Array, name: string): boolean =>
  [...name].every((letter, index) => body[index] === letter.charCodeAt(0))

const readOrientation = (body: Uint8Array): Orientation =>
  startsWithName(body, 'Exif') ? readExifOrientation(body.subarray(6)) : 1

/** True for segments that do not affect colours: EXIF, XMP, comments and maker notes. False for JFIF, Adobe and ICC. */
function isMetadata({ marker, body }: Segment): boolean {
  if (marker === comment) return true
  if (marker < app0 || marker > 0xef || marker === app0 || marker === app14) return false
  return !(marker === app2 && startsWithName(body, 'ICC_PROFILE'))
}

const coefficientsOfBlock = 64

/** Bytes of the coefficients of a picture, two each. Its blocks fill whole MCUs (ITU-T T.81, A.2). */
function countCoefficientBytes({ width, height, components, body }: Frame): number {
  const samplings = Array.from({ length: components }, (_, i) => body[7 + 3 * i] ?? 0x11)
  const [across, down] = [samplings.map((hv) => hv >> 4), samplings.map((hv) => hv & 15)]
  const mcusX = Math.ceil(width / (8 * Math.max(1, ...across)))
  const mcusY = Math.ceil(height / (8 * Math.max(1, ...down)))
  const blocks = across.reduce((sum, h, i) => sum + h * down[i]!, 0)
  return mcusX * mcusY * blocks * coefficientsOfBlock * 2
}

/** A frame header and its content. */
interface Frame {
  marker: number
  width: number
  height: number
  components: number
  body: Uint8Array
}

/**
 * Reads size, number of components and scans, and orientation without decoding.
 * @throws {AppError} `media_unreadable` if the frame header or the scan is missing, or the data are truncated: the decoder
 *   would fill missing parts with grey without an error
 */
export function readJpegHeader(bytes: Uint8Array): JpegHeader {
  let frame: Frame | null = null
  let keepsCoefficients = false
  let orientation: Orientation = 1
  let scans = 0
  let isWhole = false
  for (const { marker, body } of walkSegments(bytes)) {
    if (isFrameHeader(marker) && body.length >= 6 && !frame) {
      const [height, width] = [body[1]! * 256 + body[2]!, body[3]! * 256 + body[4]!]
      frame = { marker, width, height, components: body[5]!, body }
    } else if (marker === app1 && orientation === 1 && scans === 0) {
      orientation = readOrientation(body)
    } else if (marker === startOfScan) {
      if (frame && scans === 0)
        keepsCoefficients = frame.marker === progressiveFrame || body[0]! < frame.components
      scans++
    } else if (marker === endOfImage) {
      isWhole = true
    }
  }
  if (!frame || scans === 0) throw new AppError('media_unreadable', 'The JPEG has no readable header')
  if (!isWhole) throw new AppError('media_unreadable', 'The JPEG data end early')
  const { width, height, components } = frame
  const coefficientBytes = keepsCoefficients ? countCoefficientBytes(frame) : 0
  return { width, height, components, orientation, scans, coefficientBytes }
}

/**
 * Copies a JPEG without its metadata: EXIF (with location and device), XMP, comments, and anything after the end of the image.
 * The coded picture stays bit-identical.
 */
export function stripJpegMetadata(bytes: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [bytes.subarray(0, 2)]
  for (const segment of walkSegments(bytes)) {
    if (!isMetadata(segment)) kept.push(bytes.subarray(segment.start, segment.end))
  }
  return joinBytes(kept)
}
