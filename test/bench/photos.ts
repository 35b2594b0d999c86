import { shrinkImage } from '../../src/vision/resample.ts'
import { testCodecs } from '../fixtures/codecs.ts'
import { group, manLarge } from '../fixtures/packages.ts'
import { decode } from '../fixtures/portraits.ts'

const longSide = 1280

async function photo(bytes: Uint8Array): Promise<Uint8Array> {
  const image = await decode(bytes)
  const scale = longSide / Math.max(image.width, image.height)
  const small = shrinkImage(image, Math.round(image.width * scale), Math.round(image.height * scale))
  return testCodecs.encodeJpeg({ image: small, quality: 90 })
}

/** Photos of 1280 pixels from installed packages: one like a selfie, and a group of four. */
export async function benchPhotos(): Promise<{ name: string; bytes: Uint8Array }[]> {
  return [
    { name: 'portrait 853×1280', bytes: await photo(await manLarge()) },
    { name: 'group 1280×1025', bytes: await photo(await group(6)) },
  ]
}
