import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { Crop } from '../../../src/media/picture-kernel.ts'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { buildModule } from '../../../wasm/build-module.mjs'
import { testCodecs } from '../../fixtures/codecs.ts'
import { generator } from '../../fixtures/gallery.ts'

const committed = (name: string) => readFile(new URL(`../../../wasm/picture/${name}`, import.meta.url))

describe('the committed picture kernel', () => {
  it('is identical to a build of its source', async () => {
    const { bytes, sha256 } = await buildModule('picture')
    expect(Buffer.from(bytes).equals(await committed('kernel.wasm'))).toBe(true)
    expect((await committed('kernel.wasm.sha256')).toString()).toBe(`${sha256}  kernel.wasm\n`)
  })
})

function noise(width: number, height: number): RgbaImage {
  const random = generator(width * 31 + height)
  const data = Uint8ClampedArray.from({ length: width * height * 4 }, (_, i) =>
    i % 4 === 3 ? 255 : random() * 256,
  )
  return { width, height, data }
}

/** A picture whose channels are computed one by one; opaque. */
function paint(
  width: number,
  height: number,
  value: (x: number, y: number, channel: number) => number,
): RgbaImage {
  const data = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let channel = 0; channel < 3; channel++) data[(y * width + x) * 4 + channel] = value(x, y, channel)
  return { width, height, data }
}

function halveSimply({ width, height, data }: RgbaImage): RgbaImage {
  return paint(width >> 1, height >> 1, (x, y, channel) => {
    const at = (y * 2 * width + x * 2) * 4 + channel
    return (data[at]! + data[at + 4]! + data[at + width * 4]! + data[at + width * 4 + 4]! + 2) >> 2
  })
}

/** The source cells that a target cell covers, and their weights. */
function cover(cell: number, from: number, to: number): { index: number; weight: number }[] {
  const step = from / to
  const [left, right] = [cell * step, (cell + 1) * step]
  const cells = []
  for (let index = Math.floor(left); index < Math.min(from, Math.ceil(right - 1e-9)); index++)
    cells.push({ index, weight: Math.fround((Math.min(right, index + 1) - Math.max(left, index)) / step) })
  return cells
}

function shrinkSimply(image: RgbaImage, width: number, height: number): RgbaImage {
  return paint(width, height, (x, y, channel) => {
    let sum = 0
    for (const row of cover(y, image.height, height)) {
      let along = 0
      for (const column of cover(x, image.width, width))
        along += image.data[(row.index * image.width + column.index) * 4 + channel]! * column.weight
      sum = Math.fround(sum + along * row.weight)
    }
    return sum
  })
}

/** Interpolates in float32. */
const between = (a: number, b: number, share: number): number =>
  Math.fround(a + Math.fround(Math.fround(b - a) * Math.fround(share)))

/** A crop of a whole picture, pixel by pixel. */
function warpSimply({ width: columns, height: rows, data }: RgbaImage, crop: Crop): Float32Array {
  const { width, height, map, order, outside } = crop
  const out = new Float32Array(width * height * 3)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const sx = map.xx * x + map.xy * y + map.tx
      const sy = map.yx * x + map.yy * y + map.ty
      const isOutside = sx < -0.5 || sy < -0.5 || sx > columns - 0.5 || sy > rows - 0.5
      if (outside === 'black' && isOutside) continue
      const cx = Math.min(columns - 1, Math.max(0, sx))
      const cy = Math.min(rows - 1, Math.max(0, sy))
      const [x0, y0] = [Math.floor(cx), Math.floor(cy)]
      const [x1, y1] = [Math.min(columns - 1, x0 + 1), Math.min(rows - 1, y0 + 1)]
      const [fx, fy] = [cx - x0, cy - y0]
      for (let channel = 0; channel < 3; channel++) {
        const at = (column: number, row: number) => data[(row * columns + column) * 4 + channel]!
        const plane = order === 'rgb' ? channel : 2 - channel
        const above = between(at(x0, y0), at(x1, y0), fx)
        out[(plane * height + y) * width + x] = between(above, between(at(x0, y1), at(x1, y1), fx), fy)
      }
    }
  return out
}

describe('the picture kernel', () => {
  const { pictures } = testCodecs

  it.each([
    [2, 2],
    [3, 5],
    [8, 2],
    [17, 9],
    [64, 40],
    [1031, 7],
    // Longer rows than a band of the kernel has bytes.
    [16_384, 6],
  ])('halves %i × %i pixels to the same averages as a plain loop', (width, height) => {
    const image = noise(width, height)
    expect(pictures.halve(image)).toEqual(halveSimply(image))
  })

  it('halves a part of a picture', () => {
    const image = noise(90, 70)
    const box = { x: 11, y: 6, width: 51, height: 40 }
    const part = paint(51, 40, (x, y, channel) => image.data[((y + 6) * 90 + x + 11) * 4 + channel]!)
    expect(pictures.halve(image, box)).toEqual(halveSimply(part))
  })

  it('halves a picture without rows to one without rows', () => {
    expect(pictures.halve(noise(9, 1))).toEqual({ width: 4, height: 0, data: new Uint8ClampedArray(0) })
  })

  it.each([
    [40, 30, 20, 15],
    [41, 29, 40, 28],
    [100, 7, 1, 1],
    [97, 61, 33, 61],
    [640, 480, 320, 240],
    [853, 640, 213, 160],
  ])('shrinks %i × %i pixels to %i × %i as a plain loop does', (width, height, toWidth, toHeight) => {
    const image = noise(width, height)
    expect(pictures.shrink(image, toWidth, toHeight)).toEqual(shrinkSimply(image, toWidth, toHeight))
  })

  it.each([
    ['a box', { xx: 1.7, xy: 0, yx: 0, yy: 1.7, tx: 3.2, ty: 8.6 }],
    ['a turned face', { xx: 2.1, xy: -1.2, yx: 1.2, yy: 2.1, tx: 40, ty: -20.5 }],
    ['beside the picture', { xx: 3, xy: 0, yx: 0, yy: 3, tx: -400, ty: 500 }],
    ['few rows of a box', { xx: 4.3, xy: 0, yx: 0, yy: 4.6, tx: 12.2, ty: 3.7 }],
    ['few rows of a box upside down', { xx: 4.3, xy: 0.3, yx: 0, yy: -4.6, tx: 9.2, ty: 214.1 }],
    ['across a border', { xx: 9, xy: 2, yx: 0, yy: 6, tx: -33.3, ty: -60 }],
    ['a single pixel', { xx: 0, xy: 0, yx: 0, yy: 0, tx: 5.5, ty: 7.25 }],
  ])('warps %s as a plain loop does', (_, map) => {
    const image = noise(300, 220)
    for (const order of ['rgb', 'bgr'] as const)
      for (const outside of ['border', 'black'] as const) {
        const crop = { width: 61, height: 47, map, order, outside }
        expect(pictures.warp({ image, left: 0, top: 0, whole: image }, crop)).toEqual(warpSimply(image, crop))
      }
  })

  it('warps from a part of a picture', () => {
    const image = noise(300, 220)
    const crop: Crop = {
      ...({ width: 20, height: 30, order: 'rgb', outside: 'border' } as const),
      map: { xx: 1.5, xy: 0.2, yx: -0.2, yy: 1.5, tx: 260, ty: 190 },
    }
    const [left, top] = [250, 180]
    const part = paint(50, 40, (x, y, channel) => image.data[((y + top) * 300 + x + left) * 4 + channel]!)
    expect(pictures.warp({ image: part, left, top, whole: image }, crop)).toEqual(warpSimply(image, crop))
  })

  it('has no numbers for a crop without a place', () => {
    const image = noise(30, 20)
    const map = { xx: Number.NaN, xy: 0, yx: 0, yy: 1, tx: 0, ty: 0 }
    const planes = pictures.warp(
      { image, left: 0, top: 0, whole: image },
      { width: 2, height: 2, map, order: 'rgb', outside: 'black' },
    )
    expect([...planes]).toEqual(Array(12).fill(Number.NaN))
  })

  it('rounds halves to even', () => {
    const row = (...values: number[]) => paint(values.length, 1, (x) => values[x]!)
    expect([...pictures.shrink(row(0, 1, 2, 3), 2, 1).data]).toEqual([0, 0, 0, 255, 2, 2, 2, 255])
  })
})
