import { AppError } from '../../../errors.ts'
import { type Orientation, readExifOrientation } from '../../exif.ts'
import { fourLetters, type HeaderCursor } from '../../header-cursor.ts'
import { damaged, incomplete } from '../../incomplete.ts'
import { app1, endOfImage, seekSegment, segmentBytes, startOfScan } from './jpeg-segments.ts'

export interface JpegHeader {
  width: number
  height: number
  /** 1 grey, 3 colour, 4 CMYK or YCCK. */
  components: number
  orientation: Orientation
  /** Number of scans in the coded data; they are not counted beyond `scansMax`. */
  scans: number
  /** Bytes of the coefficients that a decoder keeps between scans; 0 if one scan has the whole picture. */
  coefficientBytes: number
}

/** Maximum number of scans. Encoders write about ten; scans cost time, but hardly any bytes. */
export const scansMax = 100

const exifName = fourLetters('Exif')
const exifHeadBytes = 6
/** Bytes of a frame header before its components. */
const frameHeadBytes = 10
const progressiveFrame = 0xc2
const coefficientsOfBlock = 64

const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** A frame header. */
interface Frame {
  marker: number
  /** Bits of a sample. */
  precision: number
  width: number
  height: number
  components: readonly { id: number; across: number; down: number }[]
}

/** Whether one component has a whole multiple of the samples of another one. */
function isSampledWhole(components: Frame['components']): boolean {
  const [across, down] = [
    Math.max(...components.map((c) => c.across)),
    Math.max(...components.map((c) => c.down)),
  ]
  return components.length === 1 || components.every((c) => !(across % c.across > 0) && !(down % c.down > 0))
}

/** What a frame header declares that no decoder here reads; `null` for nothing (table B.1). */
function nameOtherKind({ marker, precision, components }: Frame): string | null {
  if (marker >= 0xc9) return 'with arithmetic coding'
  if (marker >= 0xc5) return 'with hierarchical coding'
  if (marker === 0xc3) return 'with lossless coding'
  if (precision !== 8) return `of ${precision} bits`
  if (![1, 3, 4].includes(components.length)) return `of ${components.length} components`
  return isSampledWhole(components) ? null : 'with fractional sampling'
}

/** @throws {AppError} `media_unsupported` */
function refuseOtherKinds(frame: Frame): void {
  const kind = nameOtherKind(frame)
  if (kind === null) return
  const expected = 'a baseline or progressive JPEG, PNG or WebP'
  const message = `A JPEG ${kind} is not supported; send ${expected}`
  throw new AppError('media_unsupported', message, { details: { expected } })
}

function readFrame(marker: number, cursor: HeaderCursor): Frame {
  const count = Math.min(cursor.uint8(9), (segmentBytes(cursor) - frameHeadBytes) / 3)
  const components = Array.from({ length: count }, (_, i) => {
    const factors = cursor.uint8(11 + 3 * i)
    return { id: cursor.uint8(10 + 3 * i), across: factors >> 4, down: factors & 15 }
  })
  return {
    marker,
    precision: cursor.uint8(4),
    width: cursor.uint16(7),
    height: cursor.uint16(5),
    components,
  }
}

/** Bytes of the coefficients of a picture, two each. Its blocks fill whole MCUs (A.2). */
function countCoefficientBytes({ width, height, components }: Frame): number {
  const mcusX = Math.ceil(width / (8 * Math.max(1, ...components.map(({ across }) => across))))
  const mcusY = Math.ceil(height / (8 * Math.max(1, ...components.map(({ down }) => down))))
  const blocks = components.reduce((sum, { across, down }) => sum + across * down, 0)
  return mcusX * mcusY * blocks * coefficientsOfBlock * 2
}

/** The bits of the coefficients that the scans of a picture have. */
class Coverage {
  readonly #frame: Frame
  /** Bits that each coefficient of each component lacks; 255 for all. */
  readonly #lacking: Uint8Array

  constructor(frame: Frame) {
    this.#frame = frame
    this.#lacking = new Uint8Array(frame.components.length * coefficientsOfBlock).fill(255)
  }

  /** Adds those of a scan, by its header. */
  add(cursor: HeaderCursor): void {
    const { components, marker } = this.#frame
    const count = cursor.uint8(4)
    const selection = 5 + 2 * count
    const [first, last] = [cursor.uint8(selection), Math.min(63, cursor.uint8(selection + 1))]
    const lowBit = cursor.uint8(selection + 2) & 15
    for (let i = 0; i < count; i++) {
      const at = components.findIndex(({ id }) => id === cursor.uint8(5 + 2 * i)) * coefficientsOfBlock
      if (at < 0) continue
      if (marker === progressiveFrame) this.#lacking.fill(lowBit, at + first, at + last + 1)
      else this.#lacking.fill(0, at, at + coefficientsOfBlock)
    }
  }

  isWhole(): boolean {
    return this.#lacking.every((bits) => bits === 0)
  }
}

/** Counts the scans from the first one on, of whose picture all must be there. */
function countScans(cursor: HeaderCursor, frame: Frame): number {
  const coverage = new Coverage(frame)
  let scans = 0
  for (let marker: number | null = startOfScan; marker !== null && marker !== endOfImage; ) {
    if (marker === startOfScan) {
      coverage.add(cursor)
      if (++scans > scansMax) return scans
    }
    cursor.skip(segmentBytes(cursor))
    marker = seekSegment(cursor)
  }
  if (!coverage.isWhole()) throw incomplete('JPEG')
  return scans
}

/** The orientation in an EXIF segment; 1 in any other. */
function readOrientation(cursor: HeaderCursor): Orientation {
  const length = segmentBytes(cursor) - 4 - exifHeadBytes
  if (length < exifHeadBytes || cursor.uint32(4) !== exifName) return 1
  return readExifOrientation(cursor.part(4 + exifHeadBytes, length))
}

/**
 * Reads size, number of components and scans, and orientation without decoding. Whether the coded data of a scan are all there
 * is for the decoder to say; a picture of several scans must have them all.
 * @throws {AppError} `media_unreadable` if the frame header or a scan is missing, `media_unsupported` for kinds that no decoder reads
 */
export function readJpegHeader(cursor: HeaderCursor): JpegHeader {
  let frame: Frame | null = null
  let orientation: Orientation = 1
  cursor.skip(2)
  for (;;) {
    const marker = seekSegment(cursor)
    if (marker === null || marker === endOfImage) throw incomplete('JPEG')
    if (marker === startOfScan) break
    if (isFrameHeader(marker) && !frame && segmentBytes(cursor) >= frameHeadBytes)
      frame = readFrame(marker, cursor)
    else if (marker === app1 && orientation === 1) orientation = readOrientation(cursor)
    cursor.skip(segmentBytes(cursor))
  }
  if (!frame) throw damaged('JPEG')
  refuseOtherKinds(frame)
  const { width, height, components } = frame
  const isInOneScan = frame.marker !== progressiveFrame && cursor.uint8(4) >= components.length
  return {
    width,
    height,
    components: components.length,
    orientation,
    scans: isInOneScan ? 1 : countScans(cursor, frame),
    coefficientBytes: isInOneScan ? 0 : countCoefficientBytes(frame),
  }
}
