/** Simple picture operations, as an attacker would write them. */
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { type Similarity, transform } from '../../../src/vision/geometry.ts'

/** A pair of numbers for each pixel, usually the displacement of its source. */
export type Displacement = (x: number, y: number) => readonly [number, number]

const clamp = (value: number, last: number): number => Math.min(last, Math.max(0, value))

/** Warps a picture with bilinear sampling; the border is replicated. */
function sample(
  { width, height, data }: RgbaImage,
  outWidth: number,
  outHeight: number,
  place: Displacement,
): RgbaImage {
  const out = new Uint8ClampedArray(outWidth * outHeight * 4)
  for (let y = 0, at = 0; y < outHeight; y++) {
    for (let x = 0; x < outWidth; x++, at += 4) {
      const [px, py] = place(x, y)
      const [sx, sy] = [clamp(px, width - 1), clamp(py, height - 1)]
      const [left, top] = [Math.floor(sx), Math.floor(sy)]
      const [u, v] = [sx - left, sy - top]
      const right = left + 1 < width ? 4 : 0
      const down = top + 1 < height ? width * 4 : 0
      const from = (top * width + left) * 4
      for (let channel = from; channel < from + 3; channel++) {
        const upper = data[channel]! * (1 - u) + data[channel + right]! * u
        const lower = data[channel + down]! * (1 - u) + data[channel + down + right]! * u
        out[at + channel - from] = upper * (1 - v) + lower * v
      }
      out[at + 3] = 255
    }
  }
  return { width: outWidth, height: outHeight, data: out }
}

/** Grid spacing in pixels at which a smooth field is evaluated; it is interpolated linearly in between. */
const cell = 4

/** Evaluates a smooth field for each pixel of a picture, using a coarse grid. */
function smooth({ width, height }: RgbaImage, pairAt: Displacement): Displacement {
  const columns = Math.ceil(width / cell) + 1
  const rows = Math.ceil(height / cell) + 1
  const known = new Float32Array(columns * rows * 2)
  for (let row = 0, at = 0; row < rows; row++)
    for (let column = 0; column < columns; column++, at += 2) known.set(pairAt(column * cell, row * cell), at)
  const out: [number, number] = [0, 0]
  return (x, y) => {
    const [column, row] = [Math.floor(x / cell), Math.floor(y / cell)]
    const [u, v] = [x / cell - column, y / cell - row]
    const at = (row * columns + column) * 2
    const below = at + columns * 2
    for (let i = 0; i < 2; i++) {
      const upper = known[at + i]! * (1 - u) + known[at + i + 2]! * u
      const lower = known[below + i]! * (1 - u) + known[below + i + 2]! * u
      out[i] = upper * (1 - v) + lower * v
    }
    return out
  }
}

/** Warps a picture by a smooth displacement field. */
export function warp(image: RgbaImage, displacement: Displacement): RgbaImage {
  const near = smooth(image, displacement)
  return sample(image, image.width, image.height, (x, y) => {
    const [dx, dy] = near(x, y)
    return [x + dx, y + dy]
  })
}

/** Every pixel becomes `gain` times itself plus `offset`. */
export function shade(
  { width, height, data }: RgbaImage,
  light: (x: number, y: number) => readonly [gain: number, offset: number],
): RgbaImage {
  const out = new Uint8ClampedArray(data.length)
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const [gain, offset] = light(x, y)
      for (let channel = 0; channel < 3; channel++) out[at + channel] = data[at + channel]! * gain + offset
      out[at + 3] = 255
    }
  }
  return { width, height, data: out }
}

/** Like `shade`, for light that varies smoothly over the picture. */
export const softShade = (image: RgbaImage, light: Displacement): RgbaImage =>
  shade(image, smooth(image, light))

/** Blends a picture over another; `share` is the opacity of the second at a pixel, 0…1. */
export function mix(first: RgbaImage, second: RgbaImage, share: (x: number, y: number) => number): RgbaImage {
  const { width, height } = first
  const data = new Uint8ClampedArray(first.data.length)
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const part = share(x, y)
      for (let channel = 0; channel < 3; channel++)
        data[at + channel] = first.data[at + channel]! * (1 - part) + second.data[at + channel]! * part
      data[at + 3] = 255
    }
  }
  return { width, height, data }
}

export const mirror = (image: RgbaImage): RgbaImage => warp(image, (x) => [image.width - 1 - 2 * x, 0])

/** Box blur with a width of `2 · reach + 1`, like a lens out of focus. */
export function blur(image: RgbaImage, reach: number): RgbaImage {
  const { width, height } = image
  const pass = (from: Uint8ClampedArray, alongX: boolean): Uint8ClampedArray => {
    const out = new Uint8ClampedArray(from.length)
    for (let y = 0, at = 0; y < height; y++) {
      for (let x = 0; x < width; x++, at += 4) {
        for (let channel = 0; channel < 4; channel++) {
          let sum = 0
          for (let i = -reach; i <= reach; i++) {
            const [px, py] = alongX ? [clamp(x + i, width - 1), y] : [x, clamp(y + i, height - 1)]
            sum += from[(py * width + px) * 4 + channel]!
          }
          out[at + channel] = sum / (2 * reach + 1)
        }
      }
    }
    return out
  }
  return reach === 0 ? image : { width, height, data: pass(pass(image.data, true), false) }
}

/** Warps a picture to a square by a similarity. */
export const warpToSquare = (image: RgbaImage, toImage: Similarity, side: number): RgbaImage =>
  sample(image, side, side, (x, y) => {
    const from = transform(toImage, { x, y })
    return [from.x, from.y]
  })
