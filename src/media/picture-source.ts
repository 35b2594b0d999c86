/** Pictures whose pixels are decoded when they are asked for, at the scale at which they are looked at. */
import type { Orientation } from './exif.ts'
import { JpegRefused, type JpegScale, jpegScaleMax } from './formats/jpeg/jpeg-decoder.ts'
import type { ImageCodecs } from './image-codecs.ts'
import { damaged } from './incomplete.ts'
import { orientImage } from './orient-image.ts'
import type { RgbaImage, Size } from './rgba-image.ts'

/** Width and height are those at full scale. */
export interface PictureSource extends Size {
  /** The level with which to begin: it shows all but small faces. Coarser ones are made from it by halving. */
  readonly firstLevel: number
  /**
   * The whole picture, halved `level` times, 0…`firstLevel`.
   * @throws {AppError} `media_unreadable`
   */
  decode(level: number): RgbaImage
  /**
   * The pixels at the crossings of some columns and rows.
   * @param columns ascending, in pixels of the level
   * @throws {AppError} `media_unreadable`
   */
  pick(level: number, columns: Int32Array, rows: Int32Array): RgbaImage
}

/** A source that holds memory until it is closed. */
export interface OpenSource {
  source: PictureSource
  close(): void
}

/** Pictures up to this longer side are decoded at full scale: they have few pixels that nobody looks at. */
const wholeSideMax = 2560
/** Minimum longer side of the first level. */
const firstSideMin = 960

const swapsSides = (orientation: Orientation): boolean => orientation >= 5
/** Whether columns of the stored picture run backwards in the upright one, and rows. */
const flipsColumns = new Set<Orientation>([2, 3, 7, 8])
const flipsRows = new Set<Orientation>([3, 4, 6, 7])

/** Places counted from the other end, ascending again. */
const countBack = (places: Int32Array, length: number): Int32Array =>
  places.map((_, i) => length - 1 - places[places.length - 1 - i]!)

/** Applies an orientation to a source. */
export function orientSource(source: PictureSource, orientation: Orientation): PictureSource {
  if (orientation === 1) return source
  const swapped = swapsSides(orientation)
  return {
    ...(swapped
      ? { width: source.height, height: source.width }
      : { width: source.width, height: source.height }),
    firstLevel: source.firstLevel,
    decode: (level) => orientImage(source.decode(level), orientation),
    pick(level, columns, rows) {
      const [along, down] = swapped ? [rows, columns] : [columns, rows]
      const storedColumns = flipsColumns.has(orientation) ? countBack(along, source.width >> level) : along
      const storedRows = flipsRows.has(orientation) ? countBack(down, source.height >> level) : down
      return orientImage(source.pick(level, storedColumns, storedRows), orientation)
    },
  }
}

/** Reads pixels of a file that could be opened. */
function read(look: () => RgbaImage): RgbaImage {
  try {
    return look()
  } catch (cause) {
    if (!(cause instanceof JpegRefused)) throw cause
    throw damaged('JPEG', cause)
  }
}

/**
 * Opens a large JPEG as a source, and decodes its first level, which shows damage.
 * @param stored its size according to its header
 * @returns the upright picture; `null` if it is not large, or only another decoder reads it
 */
export function openJpegSource(
  codecs: ImageCodecs,
  bytes: Uint8Array,
  stored: Size,
  orientation: Orientation,
): OpenSource | null {
  const longSide = Math.max(stored.width, stored.height)
  if (longSide <= wholeSideMax) return null
  const firstLevel = Math.min(jpegScaleMax, Math.floor(Math.log2(longSide / firstSideMin))) as JpegScale
  const picture = codecs.openJpeg(bytes)
  if (!picture) return null
  try {
    let first: RgbaImage | null = picture.decode(firstLevel)
    const source: PictureSource = {
      width: picture.width,
      height: picture.height,
      firstLevel,
      decode(level) {
        const image = level === firstLevel && first ? first : read(() => picture.decode(level as JpegScale))
        // Callers keep what they use.
        first = null
        return image
      },
      pick: (level, columns, rows) => read(() => picture.pick(level as JpegScale, columns, rows)),
    }
    return { source: orientSource(source, orientation), close: () => picture.close() }
  } catch (thrown) {
    picture.close()
    if (thrown instanceof JpegRefused) return null
    throw thrown
  }
}
