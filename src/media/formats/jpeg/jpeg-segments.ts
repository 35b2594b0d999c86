/** The segments of a JPEG (ITU-T T.81, annex B). */
import { fourLetters, HeaderCursor, threadBudget } from '../../header-cursor.ts'

export const startOfScan = 0xda
export const endOfImage = 0xd9
export const app1 = 0xe1
const [app0, app2, app14, app15] = [0xe0, 0xe2, 0xee, 0xef]
const comment = 0xfe
const profileName = ['ICC_', 'PROF', 'ILE\0'].map(fourLetters)
const jfifName = fourLetters('JFIF')
const markerBytes = 2

/** Which bytes are the second of a marker, without those that stand alone: restarts and starts of images. */
const markers = new Uint8Array(256).fill(1).fill(0, 0xd0, 0xd9)
for (const byte of [0x00, 0x01, 0xff]) markers[byte] = 0

/** Bytes of a segment with its marker; those of a scan are its header. */
export const segmentBytes = (cursor: HeaderCursor): number => markerBytes + Math.max(2, cursor.uint16(2))

/**
 * Goes to the next segment, over what lies before it: fill bytes, coded data, restart markers.
 * @returns its marker; `null` if the file ends before the segment does
 */
export function seekSegment(cursor: HeaderCursor): number | null {
  if (!cursor.seekPair(0xff, markers)) return null
  const marker = cursor.uint8(1)
  if (marker === endOfImage) return marker
  return cursor.left >= 4 && segmentBytes(cursor) <= cursor.left ? marker : null
}

const isProfile = (cursor: HeaderCursor): boolean =>
  segmentBytes(cursor) >= 16 && profileName.every((letters, i) => cursor.uint32(4 + 4 * i) === letters)

/** Whether a segment does not affect colours: EXIF, XMP, comments, thumbnails and maker notes, not JFIF, Adobe and ICC. */
function isMetadata(marker: number, cursor: HeaderCursor): boolean {
  if (marker === comment) return true
  if (marker < app0 || marker > app15 || marker === app14) return false
  if (marker === app0) return segmentBytes(cursor) < 8 || cursor.uint32(4) !== jfifName
  return !(marker === app2 && isProfile(cursor))
}

/**
 * Copies a JPEG without its metadata: EXIF (with location and device), XMP, comments, and anything after the end of the image.
 * The coded picture stays bit-identical.
 * @returns `null` without an end marker: what follows the coded data cannot be told from them
 */
export function stripJpegMetadata(bytes: Uint8Array): Uint8Array | null {
  const cursor = new HeaderCursor(bytes, threadBudget())
  const out = new Uint8Array(bytes.length)
  let length = 0
  const keep = (from: number, end: number): void => {
    out.set(bytes.subarray(from, end), length)
    length += end - from
  }
  keep(0, markerBytes)
  cursor.skip(markerBytes)
  let marker = seekSegment(cursor)
  while (marker !== null && marker !== endOfImage) {
    const [start, isKept, isScan] = [cursor.at, !isMetadata(marker, cursor), marker === startOfScan]
    cursor.skip(segmentBytes(cursor))
    const headEnd = cursor.at
    marker = seekSegment(cursor)
    if (isKept) keep(start, isScan ? cursor.at : headEnd)
  }
  if (marker === null) return null
  keep(cursor.at, cursor.at + markerBytes)
  return out.subarray(0, length)
}
