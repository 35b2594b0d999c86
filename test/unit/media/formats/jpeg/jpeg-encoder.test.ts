import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { RgbaImage } from '../../../../../src/media/rgba-image.ts'
import { coverCells } from '../../../../../src/media/row-shrinker.ts'
import { buildModule } from '../../../../../wasm/build-module.mjs'
import { shrinkImage, testCodecs } from '../../../../fixtures/codecs.ts'
import { generator } from '../../../../fixtures/gallery.ts'
import { ramp } from '../../../../fixtures/pictures.ts'

const committed = (name: string) => readFile(new URL(`../../../../../wasm/jpeg/${name}`, import.meta.url))

describe('the committed module of the JPEG codec', () => {
  it('is identical to a build of its source', async () => {
    const { bytes, sha256 } = await buildModule('jpeg')
    expect(Buffer.from(bytes).equals(await committed('jpeg.wasm'))).toBe(true)
    expect((await committed('jpeg.wasm.sha256')).toString()).toBe(`${sha256}  jpeg.wasm\n`)
  })
})

const recode = async (image: RgbaImage, quality: number): Promise<RgbaImage> =>
  testCodecs.decode('jpeg', await testCodecs.encodeJpeg({ image, quality }))

/** A disc with a soft pattern in front of a uniform background: few different coefficients, as in a small portrait. */
function disc(side: number, radius: number, seed: number): RgbaImage {
  const data = new Uint8ClampedArray(side * side * 4)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const inside = Math.hypot(x - side / 2, y - side / 2) < radius
      const grain = Math.abs(Math.sin((y * side + x + 1) * seed * 12.9898) * 43758.5453) % 20
      const value = grain + (inside ? 170 + 40 * Math.sin(x / 7) * Math.cos(y / 9) : 60)
      data.set([value, value, value, 255], (y * side + x) * 4)
    }
  }
  return { width: side, height: side, data }
}

/** Mean square difference of the red channels. */
function difference(a: RgbaImage, b: RgbaImage): number {
  let sum = 0
  for (let at = 0; at < a.data.length; at += 4) sum += (a.data[at]! - b.data[at]!) ** 2
  return (sum * 4) / a.data.length
}

describe('the JPEG encoder', () => {
  it.each([40, 50, 60, 80, 90])('writes files that decode to the picture at quality %i', async (quality) => {
    const damaged: string[] = []
    for (const side of [24, 48, 96, 120]) {
      for (let seed = 1; seed <= 8; seed++) {
        const image = disc(side, side * (0.2 + seed / 40), seed)
        const decoded = await recode(image, quality)
        if (difference(decoded, image) > 300) damaged.push(`side ${side}, seed ${seed}`)
      }
    }
    expect(damaged).toEqual([])
  })

  it.each([
    [1, 1],
    [16, 16],
    [17, 1],
    [1, 33],
    [31, 15],
    [40, 49],
    [333, 18],
  ])('keeps a picture of %i × %i pixels up to its border', async (width, height) => {
    const grey = ramp(width, height)
    for (let at = 0; at < grey.data.length; at += 4) grey.data.fill((at / 4 / width) & 255, at, at + 3)
    const decoded = await recode(grey, 100)
    expect([decoded.width, decoded.height]).toEqual([width, height])
    for (const [i, value] of decoded.data.entries()) expect(Math.abs(value - grey.data[i]!)).toBeLessThan(4)
  })

  it('keeps the colours of areas', async () => {
    for (const colour of [
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
      [255, 255, 255],
      [0, 0, 0],
      [12, 200, 130],
    ]) {
      const image = ramp(48, 32)
      for (let at = 0; at < image.data.length; at += 4) image.data.set(colour, at)
      const { data } = await recode(image, 90)
      for (const [i, value] of colour.entries()) expect(Math.abs(data[i]! - value)).toBeLessThan(4)
    }
  })

  it('keeps noise of full contrast, which has the longest codes', async () => {
    const random = generator(7)
    const image = ramp(200, 120)
    for (let at = 0; at < image.data.length; at += 4) image.data.fill(random() < 0.5 ? 0 : 255, at, at + 3)
    expect(difference(await recode(image, 100), image)).toBeLessThan(4)
  })

  it('gives the same bytes again, whatever was encoded before', async () => {
    const request = { image: ramp(150, 70), quality: 85 }
    const first = await testCodecs.encodeJpeg(request)
    await testCodecs.encodeJpeg({ image: ramp(400, 300), quality: 20 })
    expect(await testCodecs.encodeJpeg(request)).toEqual(first)
  })

  it('writes smaller files at lower quality', async () => {
    const image = disc(200, 80, 3)
    const sizes: number[] = []
    for (const quality of [1, 20, 50, 80, 95, 100])
      sizes.push((await testCodecs.encodeJpeg({ image, quality })).length)
    expect(sizes).toEqual(sizes.toSorted((p, q) => p - q))
  })
})

describe('shrinking while encoding', () => {
  it.each([
    [200, 150, 128, 96],
    [301, 77, 300, 3],
    [64, 64, 1, 1],
    [1000, 5, 31, 5],
  ])('%i × %i pixels to %i × %i gives the picture that is shrunk first', async (width, height, ...size) => {
    const image = ramp(width, height)
    const [smallWidth, smallHeight] = size as [number, number]
    const small = shrinkImage(image, smallWidth, smallHeight)
    const shrunk = await testCodecs.encodeJpeg({ image, quality: 95, size: small })
    const [decoded, expected] = [await testCodecs.decode('jpeg', shrunk), await recode(small, 95)]
    expect([decoded.width, decoded.height]).toEqual(size)
    expect(difference(decoded, expected)).toBeLessThan(2)
  })

  it('covers all cells with weights that add up to 256', () => {
    for (const [from, to] of [
      [10, 10],
      [10, 3],
      [1920, 1280],
      [2, 3],
      [4032, 7],
    ] as const) {
      const spans = coverCells(from, to)
      expect(spans).toHaveLength(to)
      for (const { first, weights } of spans) {
        expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(256)
        expect(first + weights.length).toBeLessThanOrEqual(from)
      }
      expect(spans.at(-1)!.first + spans.at(-1)!.weights.length).toBe(from)
    }
  })
})
