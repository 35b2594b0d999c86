import { describe, expect, it } from 'vitest'
import { inspectImage, openImage } from '../../../src/media/decode-image.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import type { PictureSource } from '../../../src/media/picture-source.ts'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { openSparePixels } from '../../../src/media/spare-pixels.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { ramp } from '../../fixtures/pictures.ts'

const imageOf = (data: Uint8ClampedArray): RgbaImage => ({ width: data.length / 4, height: 1, data })

describe('spare pixels', () => {
  it('are those of the picture that was given back, once', () => {
    const pixels = openSparePixels(100)
    const first = pixels.take(80)
    pixels.giveBack(imageOf(first))
    const second = pixels.take(40)
    expect([second.buffer === first.buffer, second.length]).toEqual([true, 40])
    expect(pixels.take(40).buffer).not.toBe(first.buffer)
  })

  it('are not kept if there are too many, and not taken if there are too few', () => {
    const pixels = openSparePixels(100)
    const [large, small] = [pixels.take(104), pixels.take(40)]
    pixels.giveBack(imageOf(large))
    expect(pixels.take(20).buffer).not.toBe(large.buffer)
    pixels.giveBack(imageOf(small))
    expect(pixels.take(80).buffer).not.toBe(small.buffer)
  })
})

describe('an open picture', async () => {
  const files = await Promise.all(
    [ramp(300, 200), ramp(160, 240), ramp(90, 80)].map((image) =>
      testCodecs.encodeJpeg({ image, quality: 90 }),
    ),
  )
  const open = (bytes: Uint8Array) =>
    openImage(testCodecs, bytes, inspectImage(openMedium(bytes), { pixelsMax: 1e6 }))
  const isImage = (picture: RgbaImage | PictureSource): picture is RgbaImage => 'data' in picture
  const pixelsOf = (picture: RgbaImage | PictureSource) => isImage(picture) && [...picture.data]

  it('keeps its pixels while others are opened and closed', async () => {
    const fresh = await Promise.all(files.map((bytes) => testCodecs.decode('jpeg', bytes)))
    const expected = fresh.map(({ data }) => [...data])
    for (let round = 0; round < 3; round++) {
      const opened = []
      for (const bytes of files) opened.push(await open(bytes))
      expect(opened.map(({ picture }) => pixelsOf(picture))).toEqual(expected)
      opened[0]!.close()
      opened[0]!.close()
      const again = await open(files[2]!)
      opened[0]!.close()
      // Other pixels, for which the spare memory would be large enough.
      const last = await open(files[1]!)
      expect([again, last].map(({ picture }) => pixelsOf(picture))).toEqual([expected[2], expected[1]])
      expect(opened.slice(1).map(({ picture }) => pixelsOf(picture))).toEqual(expected.slice(1))
      for (const { close } of [...opened.slice(1), again]) close()
    }
  })
})
