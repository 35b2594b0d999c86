/** Prediction from other pictures (8.4.2). */
import { copyBlock, limit } from '../clip/planes'
import { chromaStride, height, Picture, stride, width } from './picture'

/** Rows of unrounded intermediate values, 8 columns of int16. */
const rows = memory.data(21 * 16, 16)

/** The filter of six pixels without rounding (8-241). */
@inline
function six(a: v128, b: v128, c: v128, d: v128, e: v128, f: v128): v128 {
  // a + f + 5 (4 (c + d) - (b + e))
  const inner = i16x8.sub(i16x8.shl(i16x8.add(c, d), 2), i16x8.add(b, e))
  return i16x8.add(i16x8.add(inner, i16x8.shl(inner, 2)), i16x8.add(a, f))
}

@inline
function round5(values: v128): v128 {
  const rounded = i16x8.shr_s(i16x8.add(values, i16x8.splat(16)), 5)
  return i8x16.narrow_i16x8_u(rounded, rounded)
}

/** Stores 8 or 4 pixels, or their mean with others. */
@inline
function put(isNarrow: bool, to: usize, pixels: v128, other: usize): void {
  if (other != 0) pixels = i8x16.avgr_u(pixels, v128.load64_zero(other))
  if (isNarrow) v128.store32_lane(to, pixels, 0)
  else v128.store64_lane(to, pixels, 0)
}

@inline
function across(from: usize): v128 {
  return six(
    v128.load8x8_u(from - 2), v128.load8x8_u(from - 1), v128.load8x8_u(from),
    v128.load8x8_u(from + 1), v128.load8x8_u(from + 2), v128.load8x8_u(from + 3),
  )
}

/** Half a pixel to the right, of eight columns; the mean with `other` if there is one. */
function horizontal(isNarrow: bool, to: usize, toStride: i32, from: usize, count: i32, other: usize, otherStride: i32): void {
  for (let y = 0; y < count; y++) {
    put(isNarrow, to, round5(across(from)), other)
    to += toStride
    from += stride
    if (other != 0) other += otherStride
  }
}

/** Half a pixel down. */
function vertical(isNarrow: bool, to: usize, toStride: i32, from: usize, count: i32, other: usize, otherStride: i32): void {
  from -= 2 * stride
  let a = v128.load8x8_u(from)
  let b = v128.load8x8_u(from + stride)
  let c = v128.load8x8_u(from + 2 * stride)
  let d = v128.load8x8_u(from + 3 * stride)
  let e = v128.load8x8_u(from + 4 * stride)
  from += 5 * stride
  for (let y = 0; y < count; y++) {
    const f = v128.load8x8_u(from)
    put(isNarrow, to, round5(six(a, b, c, d, e, f)), other)
    a = b
    b = c
    c = d
    d = e
    e = f
    from += stride
    to += toStride
    if (other != 0) other += otherStride
  }
}

/** Half a pixel to the right and down. */
function diagonal(isNarrow: bool, to: usize, toStride: i32, from: usize, count: i32, other: usize, otherStride: i32): void {
  from -= 2 * stride
  for (let y = 0; y < count + 5; y++) {
    v128.store(rows + <usize>(y << 4), across(from))
    from += stride
  }
  let a = v128.load(rows)
  let b = v128.load(rows, 16)
  let c = v128.load(rows, 32)
  let d = v128.load(rows, 48)
  let e = v128.load(rows, 64)
  for (let y = 0; y < count; y++) {
    const f = v128.load(rows + <usize>((y + 5) << 4))
    // (a - 5 b + 20 c + 512) >> 10 in steps that fit into 16 bits; where a step saturates, the pixel does too.
    const outer = i16x8.add(a, f)
    const middle = i16x8.add(b, e)
    const inner = i16x8.add(c, d)
    let values = i16x8.shr_s(i16x8.sub_sat_s(outer, middle), 2)
    values = i16x8.add_sat_s(i16x8.sub_sat_s(values, middle), inner)
    values = i16x8.add_sat_s(i16x8.shr_s(values, 2), inner)
    values = i16x8.shr_s(i16x8.add_sat_s(values, i16x8.splat(32)), 6)
    put(isNarrow, to, i8x16.narrow_i16x8_u(values, values), other)
    a = b
    b = c
    c = d
    d = e
    e = f
    to += toStride
    if (other != 0) other += otherStride
  }
}

/**
 * Predicts a block of luma.
 * @param from its whole pixel
 * @param place quarters down * 4 + quarters to the right
 */
function predictLuma(to: usize, toStride: i32, from: usize, columns: i32, count: i32, place: i32): void {
  if (place == 0) return copyBlock(columns, to, toStride, from, stride, count)
  const isNarrow = columns == 4
  for (let x = 0; x < columns; x += 8) {
    const at = to + x
    const source = from + x
    switch (place) {
      case 1: horizontal(isNarrow, at, toStride, source, count, source, stride); break
      case 2: horizontal(isNarrow, at, toStride, source, count, 0, 0); break
      case 3: horizontal(isNarrow, at, toStride, source, count, source + 1, stride); break
      case 4: vertical(isNarrow, at, toStride, source, count, source, stride); break
      case 8: vertical(isNarrow, at, toStride, source, count, 0, 0); break
      case 12: vertical(isNarrow, at, toStride, source, count, source + stride, stride); break
      case 10: diagonal(isNarrow, at, toStride, source, count, 0, 0); break
      case 6: case 14: {
        horizontal(isNarrow, at, toStride, source + <usize>(place == 14 ? stride : 0), count, 0, 0)
        diagonal(isNarrow, at, toStride, source, count, at, toStride)
        break
      }
      case 9: case 11: {
        vertical(isNarrow, at, toStride, source + <usize>(place == 11 ? 1 : 0), count, 0, 0)
        diagonal(isNarrow, at, toStride, source, count, at, toStride)
        break
      }
      default: {
        vertical(isNarrow, at, toStride, source + <usize>((place & 3) == 3 ? 1 : 0), count, 0, 0)
        horizontal(isNarrow, at, toStride, source + <usize>(place >> 2 == 3 ? stride : 0), count, at, toStride)
      }
    }
  }
}

/** Predicts a block of chroma, 8, 4 or 2 columns, between four pixels (8.4.2.2.2). */
function predictChroma(to: usize, toStride: i32, from: usize, columns: i32, count: i32, x: i32, y: i32): void {
  if ((x | y) == 0) {
    for (let i = 0; i < count; i++) {
      if (columns == 8) store<u64>(to, load<u64>(from))
      else if (columns == 4) store<u32>(to, load<u32>(from))
      else store<u16>(to, load<u16>(from))
      to += toStride
      from += chromaStride
    }
    return
  }
  const across = i16x8.splat(<i16>x)
  const down = i16x8.splat(<i16>y)
  let above = between(from, across)
  for (let i = 0; i < count; i++) {
    from += chromaStride
    const below = between(from, across)
    let values = i16x8.add(i16x8.shl(above, 3), i16x8.mul(i16x8.sub(below, above), down))
    values = i16x8.shr_u(i16x8.add(values, i16x8.splat(32)), 6)
    values = i8x16.narrow_i16x8_u(values, values)
    if (columns == 8) v128.store64_lane(to, values, 0)
    else if (columns == 4) v128.store32_lane(to, values, 0)
    else v128.store16_lane(to, values, 0)
    above = below
    to += toStride
  }
}

/** Eight times the pixels between neighbours. */
@inline
function between(at: usize, across: v128): v128 {
  const left = v128.load8x8_u(at)
  return i16x8.add(i16x8.shl(left, 3), i16x8.mul(i16x8.sub(v128.load8x8_u(at + 1), left), across))
}

/**
 * Predicts a block of all three planes from one picture. Places are in pixels of luma.
 * @param motion packed: x in the low, y in the high half
 */
export function predictBlock(
  source: Picture, motion: i32, x: i32, y: i32, columns: i32, count: i32,
  luma: usize, cb: usize, cr: usize, lumaStride: i32, otherStride: i32,
): void {
  const mx = (motion << 16) >> 16
  const my = motion >> 16
  const atX = limit(x + (mx >> 2), columns, width * 16)
  const atY = limit(y + (my >> 2), count, height * 16)
  predictLuma(luma, lumaStride, source.luma + <usize>(atY * stride + atX), columns, count, ((my & 3) << 2) | (mx & 3))
  const chromaX = limit((x >> 1) + (mx >> 3), columns >> 1, width * 8)
  const chromaY = limit((y >> 1) + (my >> 3), count >> 1, height * 8)
  const at = <usize>(chromaY * chromaStride + chromaX)
  predictChroma(cb, otherStride, source.cb + at, columns >> 1, count >> 1, mx & 7, my & 7)
  predictChroma(cr, otherStride, source.cr + at, columns >> 1, count >> 1, mx & 7, my & 7)
}

/** Replaces pixels by their mean with others. */
export function average(to: usize, toStride: i32, other: usize, otherStride: i32, columns: i32, count: i32): void {
  for (let y = 0; y < count; y++) {
    if (columns == 16) v128.store(to, i8x16.avgr_u(v128.load(to), v128.load(other)))
    else {
      const mean = i8x16.avgr_u(v128.load64_zero(to), v128.load64_zero(other))
      if (columns == 8) v128.store64_lane(to, mean, 0)
      else if (columns == 4) v128.store32_lane(to, mean, 0)
      else v128.store16_lane(to, mean, 0)
    }
    to += toStride
    other += otherStride
  }
}

@inline
function storeSome(to: usize, pixels: v128, columns: i32): void {
  if (columns >= 8) v128.store64_lane(to, pixels, 0)
  else if (columns == 4) v128.store32_lane(to, pixels, 0)
  else v128.store16_lane(to, pixels, 0)
}

/** Weighs pixels of one picture (8-274). */
export function weigh(to: usize, toStride: i32, columns: i32, count: i32, log: i32, weight: i32, offset: i32): void {
  const factor = i16x8.splat(<i16>weight)
  const half = i16x8.splat(<i16>(log >= 1 ? <i32>1 << (log - 1) : 0))
  const added = i16x8.splat(<i16>offset)
  for (let y = 0; y < count; y++) {
    for (let x = 0; x < columns; x += 8) {
      let values = i16x8.mul(v128.load8x8_u(to + x), factor)
      values = i16x8.add_sat_s(i16x8.shr_s(i16x8.add_sat_s(values, half), log), added)
      storeSome(to + x, i8x16.narrow_i16x8_u(values, values), columns)
    }
    to += toStride
  }
}

/** Weighs pixels of two pictures (8-276). @param offset of both, halved and rounded */
export function weighBoth(
  to: usize, toStride: i32, other: usize, otherStride: i32, columns: i32, count: i32, log: i32, weight: i32, otherWeight: i32, offset: i32,
): void {
  const factors = i32x4.splat((otherWeight << 16) | (weight & 0xffff))
  const half = i32x4.splat(1 << log)
  const added = i16x8.splat(<i16>offset)
  for (let y = 0; y < count; y++) {
    for (let x = 0; x < columns; x += 8) {
      const a = v128.load8x8_u(to + x)
      const b = v128.load8x8_u(other + x)
      const low = i32x4.dot_i16x8_s(v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11), factors)
      const high = i32x4.dot_i16x8_s(v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15), factors)
      let values = i16x8.narrow_i32x4_s(
        i32x4.shr_s(i32x4.add(low, half), log + 1),
        i32x4.shr_s(i32x4.add(high, half), log + 1),
      )
      values = i16x8.add_sat_s(values, added)
      storeSome(to + x, i8x16.narrow_i16x8_u(values, values), columns)
    }
    to += toStride
    other += otherStride
  }
}
