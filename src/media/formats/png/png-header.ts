import { type Orientation, readExifOrientation } from '../../exif.ts'
import { fourLetters, HeaderCursor, threadBudget } from '../../header-cursor.ts'
import { damaged } from '../../incomplete.ts'

export interface PngHeader {
  width: number
  height: number
  orientation: Orientation
}

const signatureBytes = 8
/** Length, name and checksum of a chunk. */
const frameBytes = 12
/** Size of a header chunk with length, name and checksum. */
const headerChunkBytes = 25
const [header, palette, transparency, data, end] = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'].map(fourLetters)
const exif = fourLetters('eXIf')
/** Chunks needed to decode a still picture. Texts, profiles, animation and others are not passed to the decoder. */
const pictureChunks = new Set([header, palette, transparency, data, end])

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
  return c >>> 0
})

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = crcTable[(crc ^ byte) & 255]! ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

/** Whether the cursor stands at a chunk that does not exceed the file. */
const hasChunk = (cursor: HeaderCursor): boolean =>
  cursor.left >= frameBytes && cursor.uint32(0) <= cursor.left - frameBytes

const isHeaderChunk = (cursor: HeaderCursor): boolean =>
  cursor.left >= headerChunkBytes &&
  cursor.uint32(0) === headerChunkBytes - frameBytes &&
  cursor.uint32(4) === header &&
  crc32(cursor.bytes(4, headerChunkBytes - 8)) === cursor.uint32(headerChunkBytes - 4)

/**
 * Reads size and orientation from the chunks `IHDR` and `eXIf` (W3C PNG, third edition).
 * @throws {AppError} `media_unreadable` if the header chunk is missing, or its length or checksum is wrong
 */
export function readPngHeader(cursor: HeaderCursor): PngHeader {
  cursor.skip(signatureBytes)
  if (!isHeaderChunk(cursor)) throw damaged('PNG')
  const [width, height] = [cursor.uint32(8), cursor.uint32(12)]
  let orientation: Orientation = 1
  while (hasChunk(cursor) && cursor.uint32(4) !== data) {
    const length = cursor.uint32(0)
    if (cursor.uint32(4) === exif) orientation = readExifOrientation(cursor.part(8, length))
    cursor.skip(frameBytes + length)
  }
  return { width, height, orientation }
}

/** Whether a PNG ends before its last chunk does. @param cursor at its beginning */
export function isPngCut(cursor: HeaderCursor): boolean {
  cursor.skip(signatureBytes)
  while (hasChunk(cursor) && cursor.uint32(4) !== end) cursor.skip(frameBytes + cursor.uint32(0))
  return !hasChunk(cursor)
}

/**
 * Copies a PNG with only the chunks of the still picture: without compressed texts and colour profiles, which may expand to any
 * size, and without animation frames.
 */
export function keepPictureChunks(bytes: Uint8Array): Uint8Array {
  const cursor = new HeaderCursor(bytes, threadBudget())
  const out = bytes.slice()
  let kept = signatureBytes
  cursor.skip(signatureBytes)
  while (hasChunk(cursor)) {
    const [from, length] = [cursor.at, frameBytes + cursor.uint32(0)]
    if (pictureChunks.has(cursor.uint32(4))) {
      out.copyWithin(kept, from, from + length)
      kept += length
    }
    cursor.skip(length)
  }
  return out.subarray(0, kept)
}
