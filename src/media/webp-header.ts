import { AppError } from '../errors.ts'
import { asciiText } from './ascii.ts'
import { type Orientation, readExifOrientation } from './exif.ts'

export interface WebpHeader {
  width: number
  height: number
  orientation: Orientation
}

const readUint24 = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)

/** Yields the chunks of the RIFF container: name, offset and length of the content. */
function* walkChunks(bytes: Uint8Array): Generator<{ name: string; at: number; length: number }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at + 4, true)
    if (at + 8 + length > bytes.length) return
    yield { name: asciiText(bytes, at, at + 4), at: at + 8, length }
    at += 8 + length + (length % 2)
  }
}

/**
 * Reads size and orientation (RFC 9649). If canvas and picture differ, the larger size counts, so that a small canvas cannot
 * hide a huge picture.
 * @throws {AppError} `media_unreadable` if there is no picture chunk, `media_unsupported` for an animation
 */
export function readWebpHeader(bytes: Uint8Array): WebpHeader {
  let [width, height] = [0, 0]
  const enlarge = (w: number, h: number) => {
    width = Math.max(width, w)
    height = Math.max(height, h)
  }
  let orientation: Orientation = 1
  for (const { name, at, length } of walkChunks(bytes)) {
    if (name === 'VP8X' && length >= 10) {
      enlarge(readUint24(bytes, at + 4) + 1, readUint24(bytes, at + 7) + 1)
    } else if (name === 'VP8 ' && length >= 10) {
      enlarge(
        (bytes[at + 6]! | (bytes[at + 7]! << 8)) & 0x3fff,
        (bytes[at + 8]! | (bytes[at + 9]! << 8)) & 0x3fff,
      )
    } else if (name === 'VP8L' && length >= 5) {
      const bits =
        (bytes[at + 1]! | (bytes[at + 2]! << 8) | (bytes[at + 3]! << 16) | (bytes[at + 4]! << 24)) >>> 0
      enlarge((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
    } else if (name === 'ANIM') {
      throw new AppError('media_unsupported', 'Animated WebP is not supported')
    } else if (name === 'EXIF') {
      const named = bytes[at] === 0x45 && bytes[at + 1] === 0x78
      orientation = readExifOrientation(bytes.subarray(named ? at + 6 : at, at + length))
    }
  }
  if (width === 0) throw new AppError('media_unreadable', 'The WebP has no readable header')
  return { width, height, orientation }
}
