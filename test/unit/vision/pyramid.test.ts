import { describe, expect, it } from 'vitest'
import { openJpegSource } from '../../../src/media/picture-source.ts'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import type { Box } from '../../../src/vision/geometry.ts'
import { measureGrain } from '../../../src/vision/grain.ts'
import { Pyramid } from '../../../src/vision/pyramid.ts'
import { warpToTensor } from '../../../src/vision/resample.ts'
import { testCodecs, toPyramid } from '../../fixtures/codecs.ts'
import { ramp } from '../../fixtures/pictures.ts'

const size = { width: 2800, height: 640 }
// Without edges of colour, which are not interpolated at smaller scales.
const picture = ramp(size.width, size.height)
for (let i = 0; i < picture.data.length; i += 4)
  picture.data[i + 2] = 128 + 100 * Math.sin(((i / 4) % size.width) / 40)
const bytes = await testCodecs.encodeJpeg({ image: picture, quality: 95 })
const whole = await testCodecs.decode('jpeg', bytes)
const fromSource = () => toPyramid(openJpegSource(testCodecs, bytes, size, 1)!.source)

const isSame = (a: RgbaImage, b: RgbaImage) => Buffer.from(a.data).equals(Buffer.from(b.data))

/** Mean difference of a window from the level of the whole picture. */
function differenceFromWhole(
  pyramid: Pyramid,
  scale: number,
  box: Box,
  reference = toPyramid(whole),
): number {
  const { image, step, left, top, level } = pyramid.near(scale, box)
  const { image: full } = reference.nearest(scale)
  expect(level).toEqual({ width: full.width, height: full.height })
  expect(step).toBe(2 ** Math.floor(Math.log2(scale)))
  let sum = 0
  for (let y = Math.max(0, -top); y < Math.min(image.height, full.height - top); y++)
    for (let i = Math.max(0, -left) * 4; i < Math.min(image.width, full.width - left) * 4; i++)
      sum += Math.abs(
        image.data[y * image.width * 4 + i]! - full.data[((y + top) * full.width + left) * 4 + i]!,
      )
  return sum / image.data.length
}

const box = { x: 900, y: 200, width: 150, height: 130 }

describe('a pyramid of a source', () => {
  it('has the levels of the whole picture', () => {
    const pyramid = fromSource()
    for (const scale of [2, 4, 8, 16])
      expect(differenceFromWhole(pyramid, scale, { x: 0, y: 0, ...size })).toBeLessThan(0.3)
    expect(pyramid.isWhole).toBe(false)
    expect(isSame(pyramid.image, whole)).toBe(true)
    expect(pyramid.isWhole).toBe(true)
  })

  it.each([
    box,
    { x: -50, y: -90, width: 200, height: 100 },
    { x: 2700, y: 600, width: 300, height: 300 },
    { x: 5000, y: -4000, width: 10, height: 10 },
  ])('decodes a part that contains %o', (part) => {
    const pyramid = fromSource()
    expect(differenceFromWhole(pyramid, 1, part)).toBe(0)
    const { image, left, top } = pyramid.near(1, part)
    expect(image.width).toBeLessThan(600)
    expect([left % 8, top % 8]).toEqual([0, 0])
    expect(left).toBeLessThanOrEqual(Math.max(0, part.x - 1))
    expect(left + image.width).toBeGreaterThanOrEqual(Math.min(size.width, part.x + part.width + 1))
    expect(top + image.height).toBeGreaterThanOrEqual(Math.min(size.height, part.y + part.height + 1))
  })

  it('decodes a part once, and a large part as a level', () => {
    const pyramid = fromSource()
    const first = pyramid.near(1, box)
    expect(pyramid.near(1, { ...box, x: box.x + 10 }).image).toBe(first.image)
    expect(isSame(pyramid.near(1, { x: 100, y: 0, width: 2600, height: 600 }).image, whole)).toBe(true)
  })

  it('picks pixels', () => {
    const [columns, rows] = [Int32Array.of(5, 700, 2799), Int32Array.of(0, 639)]
    expect(fromSource().pick(columns, rows)).toEqual(toPyramid(whole).pick(columns, rows))
  })

  it('can be rotated and cropped, in any order', () => {
    const part = { x: 400, y: 160, width: 1200, height: 401 }
    const turns: readonly [string, (pyramid: Pyramid) => Pyramid, Box][] = [
      ['cropped', (pyramid) => pyramid.cropped(part), { x: 30, y: 20, width: 90, height: 90 }],
      ['rotated', (pyramid) => pyramid.turned(6), { x: 300, y: 900, width: 90, height: 90 }],
      [
        'both',
        (pyramid) => pyramid.turned(8).cropped({ x: 40, y: 80, width: 500, height: 2000 }),
        { x: 99, y: 99, width: 50, height: 60 },
      ],
    ]
    for (const [, change, inside] of turns) {
      const [changed, reference] = [change(fromSource()), change(toPyramid(whole))]
      expect([changed.width, changed.height]).toEqual([reference.width, reference.height])
      for (const scale of [1, 2, 4])
        expect(differenceFromWhole(changed, scale, inside, reference)).toBeLessThan(0.3)
      expect(differenceFromWhole(changed, 1, inside, reference)).toBe(0)
    }
  })
})

describe('a part of a source', () => {
  const part = { x: 400, y: 160, width: 1200, height: 400 }

  /** The levels of the whole picture that are decoded. */
  function watch() {
    const { source } = openJpegSource(testCodecs, bytes, size, 1)!
    const levels: number[] = []
    const decode = (level: number) => {
      levels.push(level)
      return source.decode(level)
    }
    return { pyramid: toPyramid({ ...source, decode }), levels }
  }

  it('is decoded without the rest at its own scale', () => {
    const { pyramid, levels } = watch()
    expect(isSame(pyramid.cropped(part).image, toPyramid(whole).cropped(part).image)).toBe(true)
    expect(levels).toEqual([])
  })

  it('is copied from a level that is in memory', () => {
    const { pyramid, levels } = watch()
    const { step } = pyramid.nearest(2)
    expect([step, levels]).toEqual([2, [1]])
    pyramid.cropped(part).nearest(2)
    expect(levels).toEqual([1])
  })
})

describe('a pyramid of a picture', () => {
  it('answers with whole levels', () => {
    const image: RgbaImage = ramp(301, 200)
    const pyramid = toPyramid(image)
    expect(pyramid.near(1, box)).toEqual({
      image,
      step: 1,
      left: 0,
      top: 0,
      level: { width: 301, height: 200 },
    })
    expect(pyramid.near(5, box).level).toEqual({ width: 75, height: 50 })
    expect([pyramid.grid, pyramid.isWhole]).toEqual([1, true])
  })

  it.each([
    { x: 0, y: 0, width: 301, height: 200 },
    { x: 13, y: 7, width: 251, height: 180 },
    { x: 40, y: 30, width: 96, height: 101 },
    { x: 40, y: 48, width: 99, height: 101 },
  ])('cropped to %o is what a copy of that part is', (part) => {
    const image = ramp(301, 200)
    const cropped = toPyramid(image).cropped(part)
    const copy = toPyramid(cropped.image)
    const twice = { x: 3, y: 5, width: 81, height: 90 }
    // Levels that are in memory are shared where the part begins at one of their pixels.
    const levelled = toPyramid(image)
    levelled.nearest(8)
    const even = { x: 8, y: 16, width: 61, height: 70 }
    for (const [own, reference] of [
      [toPyramid(image).cropped(part), copy],
      [toPyramid(image).cropped(part).cropped(twice), toPyramid(copy.cropped(twice).image)],
      [levelled.cropped(part), copy],
      [levelled.cropped(part).cropped(even), toPyramid(copy.cropped(even).image)],
    ] as const) {
      expect([own.isWhole, own.grid, own.width, own.height]).toEqual([
        true,
        1,
        reference.width,
        reference.height,
      ])
      const face = { x: 9, y: 10, width: 33, height: 41 }
      for (const scale of [1, 2, 4]) expect(differenceFromWhole(own, scale, face, reference)).toBe(0)
      expect(measureGrain(own, face)).toEqual(measureGrain(reference, face))
      const options = { width: 20, height: 20, order: 'rgb', outside: 'border' } as const
      for (const sampling of ['averaged', 'plain'] as const) {
        const [a, b] = [own, reference].map((pyramid) =>
          warpToTensor(pyramid, { xx: 3, xy: 0.4, yx: -0.4, yy: 3, tx: 2, ty: 12 }, { ...options, sampling }),
        )
        expect(a).toEqual(b)
      }
      for (const scale of [1, 2, 8])
        expect(isSame(own.nearest(scale).image, reference.nearest(scale).image)).toBe(true)
    }
  })

  it('is not halved again where its parts share its levels', () => {
    let halved = 0
    const { kernel } = toPyramid(ramp(8, 8))
    const halve: typeof kernel.halve = (image, box) => {
      halved++
      return kernel.halve(image, box)
    }
    const pyramid = new Pyramid({ ...kernel, halve }, ramp(301, 200))
    pyramid.nearest(4)
    const face = { x: 9, y: 10, width: 33, height: 41 }
    const shared = pyramid.cropped({ x: 40, y: 48, width: 99, height: 101 })
    shared.near(4, face)
    shared.cropped({ x: 4, y: 0, width: 60, height: 61 }).nearest(4)
    expect(halved).toBe(2)
    pyramid.cropped({ x: 41, y: 48, width: 99, height: 101 }).near(4, face)
    expect(halved).toBe(4)
  })

  it('ends with one pixel', () => {
    const { image, step } = toPyramid(ramp(40, 3)).nearest(1000)
    expect([image.width, image.height, step]).toEqual([20, 1, 2])
  })
})
