/** Converts pictures to RGBA, in their own size, half of it, or any smaller one by the mean of the area of each pixel. */
import { reserve } from './memory'

/** Factors in 16 bits, those of colour in steps of luma. */
let lumaScale: v128 = i32x4.splat(0)
let lumaBase: v128 = i32x4.splat(0)
let redSteps = 0
let blueSteps = 0
let greenStepsU = 0
let greenStepsV = 0

/** Sets the scale of luma, what is added before rounding, and steps of luma for V in red, U in blue, U and V in green. */
export function setColours(scale: i32, base: i32, vRed: i32, uBlue: i32, uGreen: i32, vGreen: i32): void {
  lumaScale = i32x4.splat(scale)
  lumaBase = i32x4.splat(base)
  redSteps = vRed
  blueSteps = uBlue
  greenStepsU = uGreen
  greenStepsV = vGreen
}

let drawnAt: usize = 0
let drawnBytes: usize = 0

/** Planes of the picture, and the size of its luma. */
let luma: usize = 0
let cb: usize = 0
let cr: usize = 0
let stride = 0
let chromaStride = 0

/** Steps of luma of four samples of chroma. */
@inline
function stepsOf(samples: v128, steps: i32): v128 {
  return i32x4.sub(i32x4.shr_s(i32x4.mul(samples, i32x4.splat(steps)), 16), i32x4.splat(steps >> 9))
}

/** Values of four pixels. */
@inline
function valuesOf(y: v128, steps: v128): v128 {
  return i32x4.shr_s(i32x4.add(i32x4.mul(i32x4.add(y, steps), lumaScale), lumaBase), 16)
}

/** Values of eight pixels whose chroma is that of four. */
@inline
function channel(y0: v128, y1: v128, steps: v128): v128 {
  return i16x8.narrow_i32x4_s(
    valuesOf(y0, v128.shuffle<i32>(steps, steps, 0, 0, 1, 1)),
    valuesOf(y1, v128.shuffle<i32>(steps, steps, 2, 2, 3, 3)),
  )
}

/**
 * Converts eight pixels, given as int16, with the chroma of four. Red is a step of luma from V, and so on: the integers are those of
 * FFmpeg's converter.
 */
@inline
function eight(pixels: v128, uRaw: v128, vRaw: v128, to: usize): void {
  const u = i32x4.extend_low_i16x8_u(uRaw)
  const v = i32x4.extend_low_i16x8_u(vRaw)
  const y0 = i32x4.extend_low_i16x8_u(pixels)
  const y1 = i32x4.extend_high_i16x8_u(pixels)
  const red = channel(y0, y1, stepsOf(v, redSteps))
  const green = channel(y0, y1, i32x4.add(stepsOf(u, greenStepsU), stepsOf(v, greenStepsV)))
  const blue = channel(y0, y1, stepsOf(u, blueSteps))
  const redBlue = i8x16.narrow_i16x8_u(red, blue)
  const greenAlpha = i8x16.narrow_i16x8_u(green, i16x8.splat(255))
  const redGreen = v128.shuffle<i8>(redBlue, greenAlpha, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
  const blueAlpha = v128.shuffle<i8>(redBlue, greenAlpha, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
  v128.store(to, v128.shuffle<i16>(redGreen, blueAlpha, 0, 8, 1, 9, 2, 10, 3, 11))
  v128.store(to, v128.shuffle<i16>(redGreen, blueAlpha, 4, 12, 5, 13, 6, 14, 7, 15), 16)
}

@inline
function fourOf(at: usize): v128 {
  return i16x8.extend_low_i8x16_u(v128.load32_zero(at))
}

/** Rows are written eight pixels at a time: what lies behind a row is overwritten by the next one. */
function drawFull(to: usize, width: i32, height: i32): void {
  for (let y = 0; y < height; y++) {
    const row = luma + <usize>(y * stride)
    const chroma = <usize>((y >> 1) * chromaStride)
    for (let x = 0; x < width; x += 8) {
      const half = chroma + (x >> 1)
      eight(v128.load8x8_u(row + x), fourOf(cb + half), fourOf(cr + half), to + <usize>(x << 2))
    }
    to += <usize>(width << 2)
  }
}

/** Means of four pairs. */
@inline
function meanPairs(at: usize): v128 {
  const sums = i16x8.extadd_pairwise_i8x16_u(v128.load64_zero(at))
  return i16x8.shr_u(i16x8.add(sums, i16x8.splat(1)), 1)
}

/** Chroma has half the columns, as FFmpeg draws it. */
function drawHalf(to: usize, width: i32, height: i32): void {
  for (let y = 0; y < height; y++) {
    const upper = luma + <usize>(2 * y * stride)
    const lower = upper + stride
    const chroma = <usize>(y * chromaStride)
    for (let x = 0; x < width; x += 8) {
      const sum = i16x8.add(
        i16x8.extadd_pairwise_i8x16_u(v128.load(upper + 2 * x)),
        i16x8.extadd_pairwise_i8x16_u(v128.load(lower + 2 * x)),
      )
      const mean = i16x8.shr_u(i16x8.add(sum, i16x8.splat(2)), 2)
      eight(mean, meanPairs(cb + chroma + x), meanPairs(cr + chroma + x), to + <usize>(x << 2))
    }
    to += <usize>(width << 2)
  }
}

/** For areas: sums of a column in 8.8 bits, three rows of means, and spans of two sizes. */
let sums: usize = 0
let means: usize = 0
let spans: usize = 0

const spanBits = 12

/**
 * Writes for each of `count` places which of `size` pixels it covers: the first, their number and their weights as uint16, which
 * add up to 4096.
 */
function writeSpans(at: usize, size: i32, count: i32): usize {
  for (let place = 0; place < count; place++) {
    const head = at
    const from = <i64>place * size
    const until = from + size
    const first = <i32>(from / count)
    const last = <i32>((until - 1) / count)
    at += 4
    let left = 1 << spanBits
    for (let i = first; i <= last; i++) {
      const part = min(until, <i64>(i + 1) * count) - max(from, <i64>i * count)
      const weight = i == last ? left : <i32>((part << spanBits) / size)
      left -= weight
      store<u16>(at, <u16>weight)
      at += 2
    }
    store<u16>(head, <u16>first)
    store<u16>(head, <u16>(last - first + 1), 2)
  }
  return at
}

/** One row of means of a plane. */
function shrinkRow(plane: usize, planeStride: i32, columns: i32, rows: i32, y: i32, height: i32, width: i32, span: usize, to: usize): void {
  const from = <i64>y * rows
  const until = from + rows
  const first = <i32>(from / height)
  const last = <i32>((until - 1) / height)
  let left = 256
  for (let i = first; i <= last; i++) {
    const part = min(until, <i64>(i + 1) * height) - max(from, <i64>i * height)
    const weight = i == last ? left : <i32>((part << 8) / rows)
    left -= weight
    const factor = i16x8.splat(<i16>weight)
    const row = plane + <usize>(i * planeStride)
    for (let x = 0; x < columns; x += 8) {
      const at = sums + <usize>(x << 1)
      const part8 = i16x8.mul(v128.load8x8_u(row + x), factor)
      v128.store(at, i == first ? part8 : i16x8.add(v128.load(at), part8))
    }
  }
  for (let x = 0; x < width; x++) {
    let at = sums + (<usize>load<u16>(span) << 1)
    const count = load<u16>(span, 2)
    span += 4
    let sum: u32 = 1 << (spanBits + 7)
    for (let i: u16 = 0; i < count; i++) {
      sum += <u32>load<u16>(at) * <u32>load<u16>(span)
      at += 2
      span += 2
    }
    store<u8>(to + x, <u8>(sum >> (spanBits + 8)))
  }
}

function drawAreas(to: usize, columns: i32, rows: i32, width: i32, height: i32): void {
  const chromaWidth = (width + 1) >> 1
  const chromaColumns = (columns + 1) >> 1
  const chromaRows = (rows + 1) >> 1
  const chromaSpans = writeSpans(spans, columns, width)
  writeSpans(chromaSpans, chromaColumns, chromaWidth)
  const yRow = means
  const uRow = yRow + width + 16
  const vRow = uRow + width + 16
  for (let y = 0; y < height; y++) {
    shrinkRow(luma, stride, columns, rows, y, height, width, spans, yRow)
    shrinkRow(cb, chromaStride, chromaColumns, chromaRows, y, height, chromaWidth, chromaSpans, uRow)
    shrinkRow(cr, chromaStride, chromaColumns, chromaRows, y, height, chromaWidth, chromaSpans, vRow)
    for (let x = 0; x < width; x += 8)
      eight(v128.load8x8_u(yRow + x), fourOf(uRow + (x >> 1)), fourOf(vRow + (x >> 1)), to + <usize>(x << 2))
    to += <usize>(width << 2)
  }
}

/**
 * Draws the planes that `facts` names (as `next` returns them) at a size that is not larger.
 * @returns where its RGBA is, until the next drawing; 0 without memory
 */
export function drawPicture(facts: usize, width: i32, height: i32): usize {
  luma = load<usize>(facts)
  cb = load<usize>(facts, 4)
  cr = load<usize>(facts, 8)
  stride = load<i32>(facts, 12)
  chromaStride = load<i32>(facts, 16)
  const columns = load<i32>(facts, 20)
  const rows = load<i32>(facts, 24)
  if (width < 1 || height < 1 || width > columns || height > rows) return 0
  const bytes = <usize>width * height * 4 + 64 + <usize>columns * 2 + 64 + 3 * (<usize>width + 32) + 6 * <usize>(columns + 4 * width) + 64
  if (bytes > drawnBytes) {
    drawnAt = reserve(bytes)
    drawnBytes = drawnAt == 0 ? 0 : bytes
    if (drawnAt == 0) return 0
  }
  const to = drawnAt
  if (width == columns && height == rows) drawFull(to, width, height)
  else if (2 * width == columns && 2 * height == rows) drawHalf(to, width, height)
  else {
    sums = (to + <usize>width * height * 4 + 79) & ~15
    means = sums + <usize>columns * 2 + 32
    spans = (means + 3 * (<usize>width + 32) + 15) & ~15
    drawAreas(to, columns, rows, width, height)
  }
  return to
}
