import { shrinkImage, testCodecs } from '../../test/fixtures/codecs.ts'
import { generator } from '../../test/fixtures/gallery.ts'
import { largePhoto } from '../../test/fixtures/large-photos.ts'
import { group, manLarge } from '../../test/fixtures/packages.ts'
import { decode } from '../../test/fixtures/portraits.ts'

const longSide = 1280

/** A photo like a selfie. */
export const benchPortrait = async (): Promise<Uint8Array> => photo(await manLarge())

async function photo(bytes: Uint8Array): Promise<Uint8Array> {
  const image = await decode(bytes)
  const scale = longSide / Math.max(image.width, image.height)
  const small = shrinkImage(image, Math.round(image.width * scale), Math.round(image.height * scale))
  return testCodecs.encodeJpeg({ image: small, quality: 90 })
}

/**
 * Photos from installed packages: of 1280 pixels one like a selfie and a group of four; the selfie also enlarged, with noise,
 * to the sizes that phones have.
 */
export async function benchPhotos(): Promise<{ name: string; bytes: Uint8Array }[]> {
  const selfie = await decode(await manLarge())
  return [
    { name: 'portrait 853×1280', bytes: await benchPortrait() },
    { name: 'group 1280×1025', bytes: await photo(await group(6)) },
    { name: 'portrait 3 megapixels', bytes: await largePhoto(selfie, 2122, generator(3)) },
    { name: 'portrait 12 megapixels', bytes: await largePhoto(selfie, 4243, generator(12)) },
  ]
}
