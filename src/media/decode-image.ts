import { AppError, type MediaReason } from '../errors.ts'
import { listPictures, refuseFile, refuseFormat } from './accepted-media.ts'
import { jpeg } from './formats/jpeg/jpeg.ts'
import { scansMax } from './formats/jpeg/jpeg-header.ts'
import { type PictureFormatId, pictureFormat } from './formats/registry.ts'
import { HeaderCursor, threadBudget } from './header-cursor.ts'
import type { ImageCodecs } from './image-codecs.ts'
import { damaged } from './incomplete.ts'
import { isRead, type OpenedMedium } from './opened-medium.ts'
import { orientImage } from './orient-image.ts'
import { type PictureHeader, readPictureHeader } from './picture-header.ts'
import { openJpegSource, type PictureSource } from './picture-source.ts'
import type { RgbaImage } from './rgba-image.ts'

export interface ImageLimits {
  /** Maximum of width × height. */
  pixelsMax: number
  /**
   * The same for pictures that other decoders than our own read, which takes 14 bytes for each pixel; absent for no other
   * limit.
   */
  wholePixelsMax?: number
  /** The same for such JPEGs, whose coefficients may be kept by both decoders; absent for `wholePixelsMax`. */
  wholeJpegPixelsMax?: number
  /** Maximum bytes of the coefficients that the decoder of a JPEG of several scans keeps; absent for no other limit. */
  coefficientBytesMax?: number
  /** Formats whose decoder is not here: `lacking` of the codecs; absent for none. */
  lacking?: readonly PictureFormatId[]
}

type WholeLimits = Pick<ImageLimits, 'wholePixelsMax' | 'wholeJpegPixelsMax'>

function wholeMax({ format }: PictureHeader, limits: WholeLimits): number {
  const { wholePixelsMax = Number.POSITIVE_INFINITY } = limits
  return format === jpeg.id ? (limits.wholeJpegPixelsMax ?? wholePixelsMax) : wholePixelsMax
}

const refusedSize = (
  { width, height }: Pick<PictureHeader, 'width' | 'height'>,
  message: string,
  expected: string,
  reason: MediaReason = 'too_many_pixels',
): AppError => new AppError('media_unreadable', message, { details: { width, height, expected }, reason })

const toMegapixels = (pixels: number): string => `${pixels / 1e6} megapixels`

const isLargeWhole = (header: PictureHeader, limits: WholeLimits): boolean =>
  header.width * header.height > wholeMax(header, limits)

function largeWhole(header: PictureHeader, limits: WholeLimits): AppError {
  const { width, height } = header
  const pixelsMax = wholeMax(header, limits)
  const most = `at most ${toMegapixels(pixelsMax)}, of this kind or damaged`
  const message = `The picture has ${width} × ${height} pixels; send it as baseline JPEG, or a smaller one: ${most}`
  return refusedSize({ width, height }, message, `at most ${toMegapixels(pixelsMax)}`)
}

/** Minimum side in pixels: no face can be detected in smaller pictures. */
const sideMin = 16
/** Maximum side in pixels: no camera exceeds it, and codecs have limits of their own. */
const sideMax = 16_384
/** Maximum of pixels × scans: 1.2 s of decoding on a core that needs 40 ms for a scan of 40 megapixels. */
const scannedPixelsMax = 1.2e9

function checkSize(header: PictureHeader, limits: ImageLimits): void {
  const { width, height } = header
  const refuse = (other: string, expected: string, reason?: MediaReason): never => {
    const message = `The picture has ${width} × ${height} pixels; send a ${other} one: ${expected}`
    throw refusedSize(header, message, expected, reason)
  }
  if (Math.min(width, height) < sideMin) refuse('larger', `at least ${sideMin} pixels a side`, 'too_small')
  if (Math.max(width, height) > sideMax) refuse('smaller', `at most ${sideMax} pixels a side`)
  if (width * height > limits.pixelsMax) refuse('smaller', `at most ${toMegapixels(limits.pixelsMax)}`)
  if (header.format !== jpeg.id && isLargeWhole(header, limits)) throw largeWhole(header, limits)
}

function checkScans(header: PictureHeader, { coefficientBytesMax }: ImageLimits): void {
  const { width, height, scans, coefficientBytes } = header
  if (coefficientBytes > (coefficientBytesMax ?? Number.POSITIVE_INFINITY)) {
    const expected = 'a baseline JPEG, or a smaller one'
    throw refusedSize(header, `A JPEG of several scans is too large here: send ${expected}`, expected)
  }
  if (scans > scansMax || scans * width * height > scannedPixelsMax) {
    throw new AppError('media_unreadable', 'The JPEG is coded in too many scans: send a baseline JPEG', {
      details: {
        ...{ scans, width, height },
        expected: `at most ${scansMax} scans, and ${scannedPixelsMax} pixels over all scans`,
      },
      reason: 'too_costly',
    })
  }
}

/** @throws {AppError} `media_unreadable` for a picture that exceeds the limits */
export function checkHeader(header: PictureHeader, limits: ImageLimits): void {
  checkSize(header, limits)
  checkScans(header, limits)
}

/**
 * Checks the header of a picture, before any decoding. One that has not been read yet is read now, which may take a worker a tenth
 * of a second.
 * @throws {AppError} `media_unsupported` for other kinds of files, `media_unreadable` for damaged headers and for pictures
 *   that exceed the limits
 */
export function inspectImage(medium: OpenedMedium, limits: ImageLimits): PictureHeader {
  if (medium.kind !== 'picture') throw refuseFile(medium, listPictures(limits.lacking))
  const { format, header, bytes } = medium
  if (limits.lacking?.includes(format)) throw refuseFormat(pictureFormat(format))
  const known = isRead(header) ? header : readPictureHeader(format, new HeaderCursor(bytes, threadBudget()))
  checkHeader(known, limits)
  return known
}

/**
 * Decodes an inspected picture and applies its orientation.
 * @throws {AppError} `media_unreadable` if the coded data are damaged or do not match the header, and for JPEGs that exceed
 *   `wholePixelsMax` and that only another decoder than our own may read
 */
export async function decodeImage(
  codecs: ImageCodecs,
  bytes: Uint8Array,
  header: PictureHeader,
  limits: WholeLimits = {},
): Promise<RgbaImage> {
  const stored = isLargeWhole(header, limits)
    ? codecs.decodeOwnJpeg(bytes)
    : await codecs.decode(header.format, bytes)
  if (!stored) throw largeWhole(header, limits)
  if (stored.width * stored.height > header.width * header.height) {
    throw damaged('picture')
  }
  return orientImage(stored, header.orientation)
}

/**
 * Opens an inspected picture for assessment: a large JPEG as a source, any other picture decoded as a whole. Close it when nobody
 * uses its pixels any more; their memory serves the next picture.
 * @throws {AppError} `media_unreadable` as `decodeImage` does
 */
export async function openImage(
  codecs: ImageCodecs,
  bytes: Uint8Array,
  header: PictureHeader,
  limits: WholeLimits = {},
): Promise<{ picture: RgbaImage | PictureSource; close(): void }> {
  const open = header.format === jpeg.id ? openJpegSource(codecs, bytes, header, header.orientation) : null
  if (open) return { picture: open.source, close: open.close }
  const picture = await decodeImage(codecs, bytes, header, limits)
  let isOpen = true
  const close = () => {
    if (isOpen) codecs.giveBack(picture)
    isOpen = false
  }
  return { picture, close }
}
