import type { HeaderCursor } from './header-cursor.ts'

/** EXIF orientation: 1 is upright; 2…8 mean that the stored rows and columns are rotated or mirrored. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

const orientationTag = 0x0112
const entryBytes = 12

/**
 * Reads the orientation from a TIFF block (EXIF 2.32, section 4.6.4).
 * @returns 1 if the block is damaged or has no orientation: broken metadata are no reason to refuse a picture
 */
export function readExifOrientation(tiff: HeaderCursor): Orientation {
  if (tiff.left < 8) return 1
  const order = tiff.uint16(0)
  if (order !== 0x4949 && order !== 0x4d4d) return 1
  const little = order === 0x4949
  tiff.skip(tiff.uint32(4, little))
  if (tiff.left < 2) return 1
  const entries = tiff.uint16(0, little)
  tiff.skip(2)
  for (let i = 0; i < entries && tiff.left >= entryBytes; i++, tiff.skip(entryBytes)) {
    if (tiff.uint16(0, little) !== orientationTag) continue
    const value = tiff.uint16(8, little)
    return value >= 1 && value <= 8 ? (value as Orientation) : 1
  }
  return 1
}
