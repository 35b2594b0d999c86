/** Prediction from other pictures (18). */
import { copyBlock, limit } from '../clip/planes'
import { version } from './header'
import { pack, xOf, yOf } from './modes'
import { chromaStride, height, Macroblock, motionOf, Picture, stride, width } from './picture'
import { modeSplit } from './tables'

/** Six pixels, by eighths of the way (18.3). */
const sixes = memory.data<i8>([
  0, 0, 127, 0, 0, 0, 0, 0, 0, -6, 123, 12, -1, 0, 0, 0, 2, -11, 108, 36, -8, 1, 0, 0, 0, -9, 93, 50, -6, 0, 0, 0,
  3, -16, 77, 77, -16, 3, 0, 0, 0, -6, 50, 93, -9, 0, 0, 0, 1, -8, 36, 108, -11, 2, 0, 0, 0, -1, 12, 123, -6, 0, 0, 0,
])

/** Rows between the two passes. */
const between = memory.data(21 * 16, 16)

@inline
function put(isNarrow: bool, to: usize, pixels: v128): void {
  if (isNarrow) v128.store32_lane(to, pixels, 0)
  else v128.store64_lane(to, pixels, 0)
}

/** Weights of the way in force, int16. */
const weights = memory.data(12, 16)

function chooseWeights(eighths: i32): void {
  for (let i: usize = 0; i < 6; i++) store<i16>(weights + (i << 1), <i16>load<i8>(sixes + <usize>(eighths << 3) + i))
}

/** Means of six pixels that lie `step` apart. Where the last sum saturates, the pixel does too. */
function filterSix(columns: i32, to: usize, toStride: i32, from: usize, fromStride: i32, count: i32, step: i32, eighths: i32): void {
  chooseWeights(eighths)
  const isLong = (eighths & 1) == 0
  const w0 = v128.load16_splat(weights)
  const w1 = v128.load16_splat(weights, 2)
  const w2 = v128.load16_splat(weights, 4)
  const w3 = v128.load16_splat(weights, 6)
  const w4 = v128.load16_splat(weights, 8)
  const w5 = v128.load16_splat(weights, 10)
  for (let x = 0; x < columns; x += 8) {
    let at = from + <usize>x
    let place = to + <usize>x
    for (let y = 0; y < count; y++) {
      let sum = i16x8.add(i16x8.mul(v128.load8x8_u(at - step), w1), i16x8.mul(v128.load8x8_u(at + 2 * step), w4))
      if (isLong) {
        const outer = i16x8.add(i16x8.mul(v128.load8x8_u(at - 2 * step), w0), i16x8.mul(v128.load8x8_u(at + 3 * step), w5))
        sum = i16x8.add(sum, outer)
      }
      sum = i16x8.add(sum, i16x8.mul(v128.load8x8_u(at), w2))
      sum = i16x8.add_sat_s(sum, i16x8.mul(v128.load8x8_u(at + step), w3))
      sum = i16x8.shr_s(i16x8.add_sat_s(sum, i16x8.splat(64)), 7)
      put(columns == 4, place, i8x16.narrow_i16x8_u(sum, sum))
      at += fromStride
      place += toStride
    }
  }
}

/** Means of two pixels that lie `step` apart. */
function filterTwo(columns: i32, to: usize, toStride: i32, from: usize, fromStride: i32, count: i32, step: i32, eighths: i32): void {
  const second = i16x8.splat(<i16>eighths)
  const first = i16x8.splat(<i16>(8 - eighths))
  for (let x = 0; x < columns; x += 8) {
    let at = from + <usize>x
    let place = to + <usize>x
    for (let y = 0; y < count; y++) {
      const sum = i16x8.add(i16x8.mul(v128.load8x8_u(at), first), i16x8.mul(v128.load8x8_u(at + step), second))
      const mean = i16x8.shr_u(i16x8.add(sum, i16x8.splat(4)), 3)
      put(columns == 4, place, i8x16.narrow_i16x8_u(mean, mean))
      at += fromStride
      place += toStride
    }
  }
}

@inline
function filter(columns: i32, to: usize, toStride: i32, from: usize, fromStride: i32, count: i32, step: i32, eighths: i32): void {
  if (version == 0) filterSix(columns, to, toStride, from, fromStride, count, step, eighths)
  else filterTwo(columns, to, toStride, from, fromStride, count, step, eighths)
}

/** Predicts a block of one plane. @param x eighths of a pixel to the right @param y down */
function predict(columns: i32, to: usize, from: usize, planeStride: i32, count: i32, x: i32, y: i32): void {
  if ((x | y) == 0) copyBlock(columns, to, planeStride, from, planeStride, count)
  else if (y == 0) filter(columns, to, planeStride, from, planeStride, count, 1, x)
  else if (x == 0) filter(columns, to, planeStride, from, planeStride, count, planeStride, y)
  else {
    // Rows above and below are needed by six pixels, of which two lie above.
    filter(columns, between, 16, from - 2 * planeStride, planeStride, count + 5, 1, x)
    filter(columns, to, planeStride, between + 32, 16, count, 16, y)
  }
}

function predictLuma(to: Picture, from: Picture, x: i32, y: i32, size: i32, motion: i32): void {
  const atX = limit(x + (xOf(motion) >> 2), size, width * 16)
  const atY = limit(y + (yOf(motion) >> 2), size, height * 16)
  const source = from.luma + <usize>(atY * stride + atX)
  predict(size, to.luma + <usize>(y * stride + x), source, stride, size, (xOf(motion) & 3) << 1, (yOf(motion) & 3) << 1)
}

/** Both planes of chroma. Profile 3 has whole pixels alone. */
function predictChroma(to: Picture, from: Picture, x: i32, y: i32, size: i32, motion: i32): void {
  const mask = version == 3 ? 0 : 7
  const atX = limit(x + (xOf(motion) >> 3), size, width * 8)
  const atY = limit(y + (yOf(motion) >> 3), size, height * 8)
  const source = <usize>(atY * chromaStride + atX)
  const place = <usize>(y * chromaStride + x)
  predict(size, to.cb + place, from.cb + source, chromaStride, size, xOf(motion) & mask, yOf(motion) & mask)
  predict(size, to.cr + place, from.cr + source, chromaStride, size, xOf(motion) & mask, yOf(motion) & mask)
}

/** A fourth, rounded away from 0. */
@inline
function quarter(sum: i32): i32 {
  return (sum + (sum < 0 ? -2 : 2)) / 4
}

/** Mean motion of four blocks of luma. */
function meanMotion(at: usize): i32 {
  const a = load<i32>(at)
  const b = load<i32>(at, 4)
  const c = load<i32>(at, 16)
  const d = load<i32>(at, 20)
  return pack(quarter(xOf(a) + xOf(b) + xOf(c) + xOf(d)), quarter(yOf(a) + yOf(b) + yOf(c) + yOf(d)))
}

function predictParts(to: Picture, from: Picture, macroblock: Macroblock, x: i32, y: i32): void {
  const motions = motionOf(macroblock)
  for (let part = 0; part < 4; part++) {
    const atX = (part & 1) << 3
    const atY = (part >> 1) << 3
    const motion = motions + <usize>(atY * 4 + atX)
    predictChroma(to, from, x * 8 + (atX >> 1), y * 8 + (atY >> 1), 4, meanMotion(motion))
    if (macroblock.split < 3) predictLuma(to, from, x * 16 + atX, y * 16 + atY, 8, load<i32>(motion))
    else
      for (let block = 0; block < 4; block++) {
        const column = block & 1
        const row = block >> 1
        const own = load<i32>(motion + <usize>(row * 16 + column * 4))
        predictLuma(to, from, x * 16 + atX + column * 4, y * 16 + atY + row * 4, 4, own)
      }
  }
}

/** Predicts a macroblock. @param x its column @param y its row */
export function predictInter(to: Picture, from: Picture, macroblock: Macroblock, x: i32, y: i32): void {
  if (macroblock.mode == modeSplit) return predictParts(to, from, macroblock, x, y)
  const motion = load<i32>(motionOf(macroblock))
  predictLuma(to, from, x * 16, y * 16, 16, motion)
  predictChroma(to, from, x * 8, y * 8, 8, motion)
}
