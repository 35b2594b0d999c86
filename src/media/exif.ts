/** EXIF orientation: 1 is upright; 2…8 mean that the stored rows and columns are rotated or mirrored. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

const orientationTag = 0x0112

/**
 * Reads the orientation from a TIFF block (EXIF 2.32, section 4.6.4).
 * @returns 1 if the block is damaged or has no orientation: broken metadata are no reason to refuse a picture
 */
export function readExifOrientation(tiff: Uint8Array): Orientation {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength)
  if (view.byteLength < 8) return 1
  const order = view.getUint16(0)
  if (order !== 0x4949 && order !== 0x4d4d) return 1
  const little = order === 0x4949
  const directory = view.getUint32(4, little)
  if (directory + 2 > view.byteLength) return 1
  const entries = view.getUint16(directory, little)
  for (let i = 0; i < entries; i++) {
    const entry = directory + 2 + i * 12
    if (entry + 12 > view.byteLength) return 1
    if (view.getUint16(entry, little) !== orientationTag) continue
    const value = view.getUint16(entry + 8, little)
    return value >= 1 && value <= 8 ? (value as Orientation) : 1
  }
  return 1
}
