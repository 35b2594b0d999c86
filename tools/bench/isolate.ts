/** The WebAssembly memories of an isolate while it assesses photos. */

import { openCountedIsolate } from '../../test/fixtures/counted-isolate.ts'
import { generator } from '../../test/fixtures/gallery.ts'
import { largePhoto } from '../../test/fixtures/large-photos.ts'
import { manLarge } from '../../test/fixtures/packages.ts'
import { decode } from '../../test/fixtures/portraits.ts'
import { aims } from './aims.ts'

interface MeasuredIsolate {
  photo: keyof typeof aims.isolateMegabytes
  /** In all, of 2^20 bytes. */
  megabytes: number
}

const longSides = { '0.8 megapixels': 1095, '12 megapixels': 4243 } as const

export async function measureIsolate(): Promise<MeasuredIsolate[]> {
  const selfie = await decode(await manLarge())
  const photos: [MeasuredIsolate['photo'], Uint8Array][] = []
  for (const photo of ['0.8 megapixels', '12 megapixels'] as const)
    photos.push([photo, await largePhoto(selfie, longSides[photo], generator(12))])
  const isolate = await openCountedIsolate()
  const measured: MeasuredIsolate[] = []
  for (const [photo, bytes] of photos) {
    await isolate.assess(bytes, { faces: true, template: true, pad: true, bestShot: true })
    measured.push({ photo, megabytes: isolate.megabytes() })
  }
  isolate.close()
  return measured
}

export const isolateText = (measured: readonly MeasuredIsolate[]): string =>
  measured
    .map(
      ({ photo, megabytes }) =>
        `WebAssembly memories of an isolate after a photo of ${photo}: ${megabytes.toFixed(0)} MB (aim: ${aims.isolateMegabytes[photo]})`,
    )
    .join('\n')
