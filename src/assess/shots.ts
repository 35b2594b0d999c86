import { jpeg } from '../media/formats/jpeg/jpeg.ts'
import { stripJpegMetadata } from '../media/formats/jpeg/jpeg-segments.ts'
import { pictureFormat } from '../media/formats/registry.ts'
import type { ImageCodecs } from '../media/image-codecs.ts'
import type { PictureHeader } from '../media/picture-header.ts'
import type { RgbaImage, Size } from '../media/rgba-image.ts'
import type { Box } from '../vision/geometry.ts'
import { Pyramid } from '../vision/pyramid.ts'
import { sizeWithin } from '../vision/resample.ts'
import type { CodedImage, Shot } from './assessment.ts'

const bestShotSideMax = 1280
/** A level of the pyramid with at least this longer side is a best shot as it is: enlarged detail is no detail. */
const bestShotSideMin = 960
const bestShotQuality = 90
const thumbnailShortSide = 120
const thumbnailSideMax = 1280
const thumbnailQuality = 80

/** MD5 in lower-case hexadecimal; a checksum required by the contract, not used for security. */
export type Md5 = (bytes: Uint8Array) => string | Promise<string>

/** Dependencies for making shots. */
export interface ShotTools {
  codecs: ImageCodecs
  md5: Md5
}

async function toCodedImage(
  { md5 }: ShotTools,
  bytes: Uint8Array,
  { width, height }: Size,
): Promise<CodedImage> {
  return { bytes, mimeType: jpeg.mimeType, width, height, md5: await md5(bytes) }
}

async function encode(tools: ShotTools, image: RgbaImage, size: Size, quality: number): Promise<CodedImage> {
  return toCodedImage(tools, await tools.codecs.encodeJpeg({ image, quality, size }), size)
}

/** Makes a small JPEG: shorter side at most 120 pixels, longer side at most 1280. */
export async function makeThumbnail(tools: ShotTools, pyramid: Pyramid): Promise<CodedImage> {
  const { width, height } = pyramid
  const side = (thumbnailShortSide * Math.max(width, height)) / Math.min(width, height)
  const size = sizeWithin(pyramid, Math.min(side, thumbnailSideMax))
  const { image } = pyramid.nearest(Math.min(width / size.width, height / size.height))
  return encode(tools, image, size, thumbnailQuality)
}

/** A shot with a thumbnail of its own. @param shown the picture of the shot */
export async function withThumbnail(
  tools: ShotTools,
  shown: Pyramid,
  shot: Promise<CodedImage>,
): Promise<Shot> {
  return { ...(await shot), thumbnail: await makeThumbnail(tools, shown) }
}

/**
 * The best shot of a photo is the photo itself. For an upright JPEG in the colours of a screen that is not too large
 * only the metadata are removed; the coded picture stays bit-identical. Other pictures are rotated upright, shrunk to at most 1280 pixels (at least 960 if
 * they have them) and encoded as JPEG.
 * @param pyramid the upright picture
 * @param turned whether the picture was rotated to make the face upright
 */
export async function makeBestShot(
  tools: ShotTools,
  file: { bytes: Uint8Array; header: PictureHeader },
  pyramid: Pyramid,
  turned: boolean,
): Promise<CodedImage> {
  const { bytes, header } = file
  const longSide = Math.max(pyramid.width, pyramid.height)
  const isPlain = header.format === jpeg.id && header.orientation === 1 && !header.hasInks
  const own = isPlain && !turned && longSide <= bestShotSideMax ? stripJpegMetadata(bytes) : null
  return own ? toCodedImage(tools, own, pyramid) : makeShot(tools, pyramid)
}

/** Encodes a picture as JPEG at its full size. */
export const makeFullSizeShot = (tools: ShotTools, image: RgbaImage): Promise<Shot> =>
  withThumbnail(
    tools,
    new Pyramid(tools.codecs.pictures, image),
    encode(tools, image, image, bestShotQuality),
  )

/** Encodes a picture as JPEG: the smallest level of at least 960 pixels, shrunk to a longer side of at most 1280 pixels. */
export async function makeShot(tools: ShotTools, pyramid: Pyramid): Promise<CodedImage> {
  const { width, height } = pyramid
  const { image } = pyramid.nearest(Math.max(1, Math.max(width, height) / bestShotSideMin))
  return encode(tools, image, sizeWithin(image, bestShotSideMax), bestShotQuality)
}

/**
 * A photo in the size and the format that it is looked at.
 * @returns `null` if the photo itself is so, or is a smaller file
 */
export async function makePreview(
  tools: ShotTools,
  { bytes, header }: { bytes: Uint8Array; header: PictureHeader },
  pyramid: Pyramid,
): Promise<CodedImage | null> {
  const isShownByFew = pictureFormat(header.format).isShownByFew === true
  if (!isShownByFew && Math.max(pyramid.width, pyramid.height) <= bestShotSideMax) return null
  const preview = await makeShot(tools, pyramid)
  return isShownByFew || preview.bytes.length < bytes.length ? preview : null
}

/** Sides of a portrait in those of the face's box, which lies in its middle. */
const portraitFrame = { width: 1.9, height: 2 }
const portraitSideMax = 640

/** The part of a picture that a portrait shows, in whole pixels on the grid of the pyramid. */
function framePortrait({ width, height, grid }: Pyramid, face: Box): Box {
  const middle = { x: face.x + face.width / 2, y: face.y + face.height / 2 }
  const span = (centre: number, length: number, end: number): [from: number, length: number] => {
    const from = Math.min(
      Math.max(0, Math.floor((centre - length / 2) / grid) * grid),
      Math.max(0, end - grid),
    )
    const to = Math.min(end, Math.max(from + grid, Math.ceil((centre + length / 2) / grid) * grid))
    return [from, to - from]
  }
  const [x, across] = span(middle.x, face.width * portraitFrame.width, width)
  const [y, down] = span(middle.y, face.height * portraitFrame.height, height)
  return { x, y, width: across, height: down }
}

/** The face with its surroundings, as a JPEG of at most 640 pixels. */
export async function makePortrait(tools: ShotTools, pyramid: Pyramid, face: Box): Promise<Shot> {
  const part = pyramid.cropped(framePortrait(pyramid, face))
  const { image } = part.nearest(Math.max(1, Math.max(part.width, part.height) / portraitSideMax))
  const size = sizeWithin(image, portraitSideMax)
  return withThumbnail(tools, part, encode(tools, image, size, bestShotQuality))
}
