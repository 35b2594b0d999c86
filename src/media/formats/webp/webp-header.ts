import { AppError } from '../../../errors.ts'
import { type Orientation, readExifOrientation } from '../../exif.ts'
import { fourLetters, type HeaderCursor } from '../../header-cursor.ts'
import { damaged, incomplete } from '../../incomplete.ts'

export interface WebpHeader {
  width: number
  height: number
  orientation: Orientation
}

const chunks = {
  canvas: fourLetters('VP8X'),
  lossy: fourLetters('VP8 '),
  lossless: fourLetters('VP8L'),
  animation: fourLetters('ANIM'),
  exif: fourLetters('EXIF'),
}
const riffBytes = 12
const chunkHeadBytes = 8

/** The size that a chunk declares; `null` for chunks without one. */
function readSize(
  cursor: HeaderCursor,
  name: number,
  length: number,
): [width: number, height: number] | null {
  if (name === chunks.canvas && length >= 10)
    return [(cursor.uint32(12, true) & 0xffffff) + 1, (cursor.uint32(14, true) >>> 8) + 1]
  if (name === chunks.lossy && length >= 10)
    return [cursor.uint16(14, true) & 0x3fff, cursor.uint16(16, true) & 0x3fff]
  if (name !== chunks.lossless || length < 5) return null
  const bits = cursor.uint32(9, true)
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
}

/** Some writers put the name of EXIF in JPEG before the block. */
function readOrientation(cursor: HeaderCursor, length: number): Orientation {
  const nameBytes = length >= 2 && cursor.uint16(chunkHeadBytes) === 0x4578 ? 6 : 0
  return readExifOrientation(cursor.part(chunkHeadBytes + nameBytes, Math.max(0, length - nameBytes)))
}

/** Whether a WebP is shorter than it says. @param cursor at its beginning */
export const isWebpCut = (cursor: HeaderCursor): boolean =>
  cursor.uint32(4, true) > cursor.left - chunkHeadBytes

/**
 * Reads size and orientation (RFC 9649). If canvas and picture differ, the larger size counts, so that a small canvas cannot
 * hide a huge picture.
 * @throws {AppError} `media_unreadable` if there is no picture chunk, `media_unsupported` for an animation
 */
export function readWebpHeader(cursor: HeaderCursor): WebpHeader {
  let [width, height] = [0, 0]
  let orientation: Orientation = 1
  const isCut = isWebpCut(cursor)
  cursor.skip(riffBytes)
  while (cursor.left >= chunkHeadBytes) {
    const name = cursor.uint32(0)
    const length = cursor.uint32(4, true)
    if (length > cursor.left - chunkHeadBytes) break
    const size = readSize(cursor, name, length)
    if (size) [width, height] = [Math.max(width, size[0]), Math.max(height, size[1])]
    else if (name === chunks.animation)
      throw new AppError('media_unsupported', 'Animated WebP is not supported')
    else if (name === chunks.exif) orientation = readOrientation(cursor, length)
    cursor.skip(chunkHeadBytes + length + (length % 2))
  }
  if (width > 0) return { width, height, orientation }
  throw isCut ? incomplete('WebP') : damaged('WebP')
}
