/** Reads the header of a picture of the HEIF family (ISO/IEC 23008-12): HEIC and AVIF. */
import { AppError } from '../../../errors.ts'
import type { Orientation } from '../../exif.ts'
import { fourLetters, type HeaderCursor } from '../../header-cursor.ts'
import { damaged } from '../../incomplete.ts'
import type { Box } from '../../iso-boxes.ts'
import type { Size } from '../../rgba-image.ts'
import type { HeaderFacts } from '../picture-format.ts'
import type { HeifCoding } from './heif-coding.ts'
import { ItemProperties } from './heif-items.ts'
import { readShown, unreadable } from './heif-shown.ts'

const [rotation, mirror] = ['irot', 'imir'].map(fourLetters)

/** The lists of a header take about 45 bytes for each tile: 2 kB for the 48 of 12 megapixels. */
export const heifHeaderBytes = 2 ** 13

/** Orientations by quarter turns to the left, then for pictures that are also mirrored: left and right exchanged after the turns. */
const orientations: readonly (readonly Orientation[])[] = [
  [1, 8, 3, 6],
  [2, 7, 4, 5],
]

/** What the properties of an item do with its picture, in their order. Exif does not count here (23008-12, annex A.2). */
function readOrientation(properties: readonly Box[]): Orientation {
  let [turns, isMirrored] = [0, false]
  for (const { name, content } of properties) {
    if (name === rotation) turns += (isMirrored ? -1 : 1) * (content.uint8(0) & 3)
    if (name !== mirror) continue
    // Top and bottom exchanged is left and right exchanged after half a turn.
    if ((content.uint8(0) & 1) === 0) turns += 2
    isMirrored = !isMirrored
  }
  return orientations[Number(isMirrored)]![((turns % 4) + 4) % 4]!
}

/**
 * Checks that tiles cover a picture and no more than that: each is decoded.
 * @throws {AppError} `media_unreadable`
 */
function checkTiles(sizes: readonly Size[], count: number, { width, height }: Size, name: string): void {
  const [first] = sizes
  // One that is used twice has one size here.
  const isSame =
    sizes.length === count &&
    sizes.every((size) => size.width === first?.width && size.height === first.height)
  const pixels = first ? count * first.width * first.height : 0
  if (
    !first ||
    !isSame ||
    pixels < width * height ||
    pixels >= (width + first.width) * (height + first.height)
  )
    throw damaged(name)
}

/**
 * Reads size and orientation of the picture that a file shows: of the first one of a sequence.
 * @throws {AppError} `media_unreadable` if anything is missing that says what to decode, `media_unsupported` for other codings
 */
export function readHeifHeader(cursor: HeaderCursor, coding: HeifCoding): HeaderFacts {
  const { name, configuration } = coding
  const { meta, primary, isGrid, places, coded } = readShown(cursor, coding)
  const properties = new ItemProperties(meta, new Set([primary, ...coded]))
  const sizeOf = (item: number): Size => {
    const size = properties.find(item, 'ispe')
    if (!size) throw unreadable(cursor, name)
    return { width: size.uint32(4), height: size.uint32(8) }
  }
  const size = sizeOf(primary)
  if (coded.some((item) => !properties.find(item, configuration))) throw unreadable(cursor, name)
  const pieces = coded.map(sizeOf)
  if (isGrid) checkTiles(pieces, places, size, name)
  const { piecePixelsMax = Number.POSITIVE_INFINITY } = coding
  if (pieces.some(({ width, height }) => width * height > piecePixelsMax))
    throw new AppError(
      'media_unreadable',
      `The ${name} has ${size.width} × ${size.height} pixels in one piece: at most ${piecePixelsMax / 1e6} megapixels are read. Send a JPEG, or a smaller one`,
      {
        details: { ...size, expected: `at most ${piecePixelsMax / 1e6} megapixels` },
        reason: 'too_many_pixels',
      },
    )
  return { ...size, orientation: readOrientation(properties.of(primary)) }
}
