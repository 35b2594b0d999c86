import { md5 } from '@noble/hashes/legacy.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { ImageHeader } from '../media/decode-image.ts'
import type { ImageCodecs } from '../media/image-codecs.ts'
import { stripJpegMetadata } from '../media/jpeg-header.ts'
import type { RgbaImage } from '../media/rgba-image.ts'
import { shrinkImage } from '../vision/resample.ts'
import type { CodedImage } from './assessment.ts'

const bestShotSideMax = 1280
const bestShotQuality = 90
const thumbnailShortSide = 120
const thumbnailQuality = 80

/** Lower-case hexadecimal. */
export const md5Hex = (bytes: Uint8Array): string => bytesToHex(md5(bytes))

const coded = (bytes: Uint8Array, { width, height }: RgbaImage): CodedImage => ({
  bytes,
  mimeType: 'image/jpeg',
  width,
  height,
  md5: md5Hex(bytes),
})

function shrinkBy(image: RgbaImage, scale: number): RgbaImage {
  if (scale >= 1) return image
  return shrinkImage(
    image,
    Math.max(1, Math.round(image.width * scale)),
    Math.max(1, Math.round(image.height * scale)),
  )
}

/** A small JPEG, its shorter side at most 120 pixels. */
export async function makeThumbnail(codecs: ImageCodecs, image: RgbaImage): Promise<CodedImage> {
  const small = shrinkBy(image, thumbnailShortSide / Math.min(image.width, image.height))
  return coded(await codecs.encodeJpeg({ image: small, quality: thumbnailQuality }), small)
}

/**
 * The best shot of a photo is the photo. A JPEG that is upright and not too large keeps its coded picture bit for bit and
 * loses its metadata; anything else is turned upright, brought to 1280 pixels at most and encoded.
 * @param image the upright picture
 * @param turned whether the picture had to be turned to stand upright
 */
export async function makeBestShot(
  codecs: ImageCodecs,
  file: { bytes: Uint8Array; header: ImageHeader },
  image: RgbaImage,
  turned: boolean,
): Promise<CodedImage> {
  const { bytes, header } = file
  const longSide = Math.max(image.width, image.height)
  const keep = header.format === 'jpeg' && header.orientation === 1 && !turned && longSide <= bestShotSideMax
  if (keep) return coded(stripJpegMetadata(bytes), image)
  const small = shrinkBy(image, bestShotSideMax / longSide)
  return coded(await codecs.encodeJpeg({ image: small, quality: bestShotQuality }), small)
}
