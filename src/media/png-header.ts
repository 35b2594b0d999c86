import { AppError } from '../errors.ts'
import { asciiText } from './ascii.ts'
import { type Orientation, readExifOrientation } from './exif.ts'

export interface PngHeader {
  width: number
  height: number
  orientation: Orientation
}

interface Chunk {
  name: string
  /** Offset of the chunk's length field. */
  start: number
  /** Offset of its end, after the checksum. */
  end: number
}

const signatureBytes = 8
/** Size of a header chunk with length, name and checksum. */
const headerChunkBytes = 25
/** Chunks needed to decode a still picture. Texts, profiles, animation and others are not passed to the decoder. */
const pictureChunks = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])

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

/** Yields the chunks after the signature; stops at a chunk that exceeds the file. */
function* walkChunks(bytes: Uint8Array): Generator<Chunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let start = signatureBytes; start + 12 <= bytes.length; ) {
    const end = start + 12 + view.getUint32(start)
    if (end > bytes.length) return
    yield { name: asciiText(bytes, start + 4, start + 8), start, end }
    start = end
  }
}

/**
 * Reads size and orientation from the chunks `IHDR` and `eXIf` (W3C PNG, third edition).
 * @throws {AppError} `media_unreadable` if the header chunk is missing, or its length or checksum is wrong
 */
export function readPngHeader(bytes: Uint8Array): PngHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const damaged = new AppError('media_unreadable', 'The PNG has no readable header')
  let size: { width: number; height: number } | null = null
  let orientation: Orientation = 1
  for (const { name, start, end } of walkChunks(bytes)) {
    if (!size) {
      if (name !== 'IHDR' || end - start !== headerChunkBytes) throw damaged
      if (crc32(bytes.subarray(start + 4, end - 4)) !== view.getUint32(end - 4)) throw damaged
      size = { width: view.getUint32(start + 8), height: view.getUint32(start + 12) }
    }
    if (name === 'eXIf') orientation = readExifOrientation(bytes.subarray(start + 8, end - 4))
    if (name === 'IDAT') break
  }
  if (!size) throw damaged
  return { ...size, orientation }
}

/**
 * Copies a PNG with only the chunks of the still picture: without compressed texts and colour profiles, which may expand to any
 * size, and without animation frames.
 */
export function keepPictureChunks(bytes: Uint8Array): Uint8Array {
  const kept = [...walkChunks(bytes)].filter(({ name }) => pictureChunks.has(name))
  const out = new Uint8Array(kept.reduce((sum, { start, end }) => sum + end - start, signatureBytes))
  out.set(bytes.subarray(0, signatureBytes))
  let at = signatureBytes
  for (const { start, end } of kept) {
    out.set(bytes.subarray(start, end), at)
    at += end - start
  }
  return out
}
