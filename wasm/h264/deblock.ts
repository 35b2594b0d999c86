/** The deblocking filter (8.7). */
import {
  chromaStride, filled, filters, isIntra, isLarge, kinds, macroblockAt, Picture, pitch, quantisers, slices, stride, width,
} from './picture'

// Table 8-16.
const alphas = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 17, 20, 22, 25, 28,
  32, 36, 40, 45, 50, 56, 63, 71, 80, 90, 101, 113, 127, 144, 162, 182, 203, 226, 255, 255,
])
const betas = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 6, 6, 7, 7, 8, 8,
  9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18,
])
/** Table 8-17, for strengths 0 (none), 1, 2 and 3. */
const limits = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1,
  0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 2, 0, 1, 1, 2, 0, 1, 1, 2, 0, 1, 1, 2, 0, 1, 2, 3,
  0, 1, 2, 3, 0, 2, 2, 3, 0, 2, 2, 4, 0, 2, 3, 4, 0, 2, 3, 4, 0, 3, 3, 5, 0, 3, 4, 6, 0, 3, 4, 6,
  0, 4, 5, 7, 0, 4, 5, 8, 0, 4, 6, 9, 0, 5, 7, 10, 0, 6, 8, 11, 0, 6, 8, 13, 0, 7, 10, 14, 0, 8, 11, 16,
  0, 9, 12, 18, 0, 10, 13, 20, 0, 11, 15, 23, 0, 13, 17, 25,
])

/** Strengths of an edge's four blocks, one byte each. */
let strengths: u32 = 0

@inline
function distance(a: v128, b: v128): v128 {
  return v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a))
}

@inline
function isBelow(a: v128, limit: v128): v128 {
  return i8x16.lt_u(a, limit)
}

// The filters keep their pixels here: [p3, p2, p1, p0, q0, q1, q2, q3], 16 of each.
const lanes = memory.data(128, 16)

@inline
function meanDown(a: v128, b: v128): v128 {
  return i8x16.sub(i8x16.avgr_u(a, b), v128.and(v128.xor(a, b), i8x16.splat(1)))
}

/** Difference that strengths 1 to 3 add to p0 and take from q0 (8-475), of eight pixels. */
@inline
function delta8(p1: v128, p0: v128, q0: v128, q1: v128): v128 {
  const four = i16x8.shl(i16x8.sub(q0, p0), 2)
  return i16x8.shr_s(i16x8.add(i16x8.add(four, i16x8.sub(p1, q1)), i16x8.splat(4)), 3)
}

/** New p0 and q0 of strengths 1 to 3, in lanes 3 and 4. @param limit of the change; 0 where nothing is to change */
@inline
function storeInner(p1: v128, p0: v128, q0: v128, q1: v128, limit: v128): void {
  const low = delta8(
    i16x8.extend_low_i8x16_u(p1), i16x8.extend_low_i8x16_u(p0), i16x8.extend_low_i8x16_u(q0), i16x8.extend_low_i8x16_u(q1),
  )
  const high = delta8(
    i16x8.extend_high_i8x16_u(p1), i16x8.extend_high_i8x16_u(p0), i16x8.extend_high_i8x16_u(q0), i16x8.extend_high_i8x16_u(q1),
  )
  const up = i8x16.min_u(i8x16.narrow_i16x8_u(low, high), limit)
  const down = i8x16.min_u(i8x16.narrow_i16x8_u(i16x8.neg(low), i16x8.neg(high)), limit)
  v128.store(lanes, i8x16.sub_sat_u(i8x16.add_sat_u(p0, up), down), 48)
  v128.store(lanes, i8x16.sub_sat_u(i8x16.add_sat_u(q0, down), up), 64)
}

/** (p2 + 2 p1 + 2 p0 + 2 q0 + q1 + 4) >> 3 and the like, of eight pixels. */
@inline
function strong(p2: v128, p1: v128, p0: v128, q0: v128, q1: v128): v128 {
  const twice = i16x8.shl(i16x8.add(i16x8.add(p1, p0), q0), 1)
  return i16x8.shr_u(i16x8.add(i16x8.add(twice, i16x8.add(p2, q1)), i16x8.splat(4)), 3)
}

@inline
function outer(p3: v128, p2: v128, p1: v128, p0: v128, q0: v128): v128 {
  const three = i16x8.add(i16x8.add(p2, p1), i16x8.add(p0, q0))
  return i16x8.shr_u(i16x8.add(i16x8.add(i16x8.shl(i16x8.add(p3, p2), 1), three), i16x8.splat(4)), 3)
}

@inline
function select(mask: v128, yes: v128, no: v128): v128 {
  return v128.bitselect(yes, no, mask)
}

/** Filters `lanes`, luma. @returns whether anything changed */
function filterLuma(alpha: i32, beta: i32, table: usize): bool {
  const p1 = v128.load(lanes, 32)
  const p0 = v128.load(lanes, 48)
  const q0 = v128.load(lanes, 64)
  const q1 = v128.load(lanes, 80)
  const near = i8x16.splat(<u8>beta)
  let mask = v128.and(
    isBelow(distance(p0, q0), i8x16.splat(<u8>alpha)),
    v128.and(isBelow(distance(p1, p0), near), isBelow(distance(q1, q0), near)),
  )
  const strengthsNow = strengths
  if (strengthsNow != 0x04040404) {
    const each = v128.shuffle<i8>(
      i32x4.splat(strengthsNow), i32x4.splat(0), 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
    )
    mask = v128.and(mask, i8x16.ne(each, i8x16.splat(0)))
    if (!v128.any_true(mask)) return false
    const p2 = v128.load(lanes, 16)
    const q2 = v128.load(lanes, 96)
    const tc0 = v128.and(i8x16.swizzle(v128.load32_zero(table), each), mask)
    const isFlatP = v128.and(isBelow(distance(p2, p0), near), mask)
    const isFlatQ = v128.and(isBelow(distance(q2, q0), near), mask)
    // A mask is -1.
    const limit = i8x16.sub(i8x16.sub(tc0, isFlatP), isFlatQ)
    storeInner(p1, p0, q0, q1, limit)
    const mean = i8x16.avgr_u(p0, q0)
    const limitP = v128.and(tc0, isFlatP)
    const limitQ = v128.and(tc0, isFlatQ)
    const newP = i8x16.min_u(i8x16.max_u(meanDown(p2, mean), i8x16.sub_sat_u(p1, limitP)), i8x16.add_sat_u(p1, limitP))
    const newQ = i8x16.min_u(i8x16.max_u(meanDown(q2, mean), i8x16.sub_sat_u(q1, limitQ)), i8x16.add_sat_u(q1, limitQ))
    v128.store(lanes, newP, 32)
    v128.store(lanes, newQ, 80)
    return true
  }
  if (!v128.any_true(mask)) return false
  const p3 = v128.load(lanes)
  const p2 = v128.load(lanes, 16)
  const q2 = v128.load(lanes, 96)
  const q3 = v128.load(lanes, 112)
  const isClose = v128.and(mask, isBelow(distance(p0, q0), i8x16.splat(<u8>((alpha >> 2) + 2))))
  const isFlatP = v128.and(isClose, isBelow(distance(p2, p0), near))
  const isFlatQ = v128.and(isClose, isBelow(distance(q2, q0), near))
  // Where a side is not flat: (2 p1 + p0 + q1 + 2) >> 2.
  let newP0 = select(mask, i8x16.avgr_u(p1, meanDown(p0, q1)), p0)
  let newQ0 = select(mask, i8x16.avgr_u(q1, meanDown(q0, p1)), q0)
  if (v128.any_true(isFlatP)) {
    const p3L = i16x8.extend_low_i8x16_u(p3)
    const p2L = i16x8.extend_low_i8x16_u(p2)
    const p1L = i16x8.extend_low_i8x16_u(p1)
    const p0L = i16x8.extend_low_i8x16_u(p0)
    const q0L = i16x8.extend_low_i8x16_u(q0)
    const q1L = i16x8.extend_low_i8x16_u(q1)
    const p3H = i16x8.extend_high_i8x16_u(p3)
    const p2H = i16x8.extend_high_i8x16_u(p2)
    const p1H = i16x8.extend_high_i8x16_u(p1)
    const p0H = i16x8.extend_high_i8x16_u(p0)
    const q0H = i16x8.extend_high_i8x16_u(q0)
    const q1H = i16x8.extend_high_i8x16_u(q1)
    newP0 = select(isFlatP, i8x16.narrow_i16x8_u(strong(p2L, p1L, p0L, q0L, q1L), strong(p2H, p1H, p0H, q0H, q1H)), newP0)
    const two = i16x8.splat(2)
    const p1New = i8x16.narrow_i16x8_u(
      i16x8.shr_u(i16x8.add(i16x8.add(i16x8.add(p2L, p1L), i16x8.add(p0L, q0L)), two), 2),
      i16x8.shr_u(i16x8.add(i16x8.add(i16x8.add(p2H, p1H), i16x8.add(p0H, q0H)), two), 2),
    )
    v128.store(lanes, select(isFlatP, p1New, p1), 32)
    const p2New = i8x16.narrow_i16x8_u(outer(p3L, p2L, p1L, p0L, q0L), outer(p3H, p2H, p1H, p0H, q0H))
    v128.store(lanes, select(isFlatP, p2New, p2), 16)
  }
  if (v128.any_true(isFlatQ)) {
    const q3L = i16x8.extend_low_i8x16_u(q3)
    const q2L = i16x8.extend_low_i8x16_u(q2)
    const q1L = i16x8.extend_low_i8x16_u(q1)
    const q0L = i16x8.extend_low_i8x16_u(q0)
    const p0L = i16x8.extend_low_i8x16_u(p0)
    const p1L = i16x8.extend_low_i8x16_u(p1)
    const q3H = i16x8.extend_high_i8x16_u(q3)
    const q2H = i16x8.extend_high_i8x16_u(q2)
    const q1H = i16x8.extend_high_i8x16_u(q1)
    const q0H = i16x8.extend_high_i8x16_u(q0)
    const p0H = i16x8.extend_high_i8x16_u(p0)
    const p1H = i16x8.extend_high_i8x16_u(p1)
    newQ0 = select(isFlatQ, i8x16.narrow_i16x8_u(strong(q2L, q1L, q0L, p0L, p1L), strong(q2H, q1H, q0H, p0H, p1H)), newQ0)
    const two = i16x8.splat(2)
    const q1New = i8x16.narrow_i16x8_u(
      i16x8.shr_u(i16x8.add(i16x8.add(i16x8.add(q2L, q1L), i16x8.add(q0L, p0L)), two), 2),
      i16x8.shr_u(i16x8.add(i16x8.add(i16x8.add(q2H, q1H), i16x8.add(q0H, p0H)), two), 2),
    )
    v128.store(lanes, select(isFlatQ, q1New, q1), 80)
    const q2New = i8x16.narrow_i16x8_u(outer(q3L, q2L, q1L, q0L, p0L), outer(q3H, q2H, q1H, q0H, p0H))
    v128.store(lanes, select(isFlatQ, q2New, q2), 96)
  }
  v128.store(lanes, newP0, 48)
  v128.store(lanes, newQ0, 64)
  return true
}

/** Filters `lanes`, chroma: eight pixels of Cb, then eight of Cr, with thresholds of their own. */
function filterChroma(alpha: v128, beta: v128, tableCb: usize, tableCr: usize): bool {
  const p1 = v128.load(lanes, 32)
  const p0 = v128.load(lanes, 48)
  const q0 = v128.load(lanes, 64)
  const q1 = v128.load(lanes, 80)
  let mask = v128.and(
    isBelow(distance(p0, q0), alpha),
    v128.and(isBelow(distance(p1, p0), beta), isBelow(distance(q1, q0), beta)),
  )
  if (strengths != 0x04040404) {
    const each = v128.shuffle<i8>(
      i32x4.splat(strengths), i32x4.splat(0), 0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3,
    )
    mask = v128.and(mask, i8x16.ne(each, i8x16.splat(0)))
    if (!v128.any_true(mask)) return false
    const table = v128.load32_lane(tableCr, v128.load32_zero(tableCb), 1)
    const tc0 = i8x16.swizzle(table, v128.or(each, i8x16(0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4)))
    storeInner(p1, p0, q0, q1, v128.and(i8x16.add(tc0, i8x16.splat(1)), mask))
    return true
  }
  if (!v128.any_true(mask)) return false
  v128.store(lanes, select(mask, i8x16.avgr_u(p1, meanDown(p0, q1)), p0), 48)
  v128.store(lanes, select(mask, i8x16.avgr_u(q1, meanDown(q0, p1)), q0), 64)
  return true
}

@inline
function low8(a: v128, b: v128): v128 {
  return v128.shuffle<i8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
}

@inline
function high8(a: v128, b: v128): v128 {
  return v128.shuffle<i8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
}

@inline
function low16(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
}

@inline
function high16(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
}

@inline
function low32(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 0, 4, 1, 5)
}

@inline
function high32(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 2, 6, 3, 7)
}

@inline
function low64(a: v128, b: v128): v128 {
  return v128.shuffle<i64>(a, b, 0, 2)
}

@inline
function high64(a: v128, b: v128): v128 {
  return v128.shuffle<i64>(a, b, 1, 3)
}

/** Loads 8 columns of 16 rows into `lanes`, turned. */
@inline
function loadTurned(at: usize, step: i32): void {
  const a0 = v128.load64_zero(at)
  const a1 = v128.load64_zero(at + step)
  const a2 = v128.load64_zero(at + 2 * step)
  const a3 = v128.load64_zero(at + 3 * step)
  const a4 = v128.load64_zero(at + 4 * step)
  const a5 = v128.load64_zero(at + 5 * step)
  const a6 = v128.load64_zero(at + 6 * step)
  const a7 = v128.load64_zero(at + 7 * step)
  at += 8 * step
  const b0 = v128.load64_zero(at)
  const b1 = v128.load64_zero(at + step)
  const b2 = v128.load64_zero(at + 2 * step)
  const b3 = v128.load64_zero(at + 3 * step)
  const b4 = v128.load64_zero(at + 4 * step)
  const b5 = v128.load64_zero(at + 5 * step)
  const b6 = v128.load64_zero(at + 6 * step)
  const b7 = v128.load64_zero(at + 7 * step)
  // Pairs of rows, then fours, then eights.
  const c0 = low8(a0, a1)
  const c1 = low8(a2, a3)
  const c2 = low8(a4, a5)
  const c3 = low8(a6, a7)
  const c4 = low8(b0, b1)
  const c5 = low8(b2, b3)
  const c6 = low8(b4, b5)
  const c7 = low8(b6, b7)
  const d0 = low16(c0, c1)
  const d1 = high16(c0, c1)
  const d2 = low16(c2, c3)
  const d3 = high16(c2, c3)
  const d4 = low16(c4, c5)
  const d5 = high16(c4, c5)
  const d6 = low16(c6, c7)
  const d7 = high16(c6, c7)
  const e0 = low32(d0, d2)
  const e1 = high32(d0, d2)
  const e2 = low32(d1, d3)
  const e3 = high32(d1, d3)
  const e4 = low32(d4, d6)
  const e5 = high32(d4, d6)
  const e6 = low32(d5, d7)
  const e7 = high32(d5, d7)
  v128.store(lanes, low64(e0, e4))
  v128.store(lanes, high64(e0, e4), 16)
  v128.store(lanes, low64(e1, e5), 32)
  v128.store(lanes, high64(e1, e5), 48)
  v128.store(lanes, low64(e2, e6), 64)
  v128.store(lanes, high64(e2, e6), 80)
  v128.store(lanes, low64(e3, e7), 96)
  v128.store(lanes, high64(e3, e7), 112)
}

/** Stores `lanes` back. */
@inline
function storeTurned(at: usize, step: i32): void {
  const a0 = v128.load(lanes)
  const a1 = v128.load(lanes, 16)
  const a2 = v128.load(lanes, 32)
  const a3 = v128.load(lanes, 48)
  const a4 = v128.load(lanes, 64)
  const a5 = v128.load(lanes, 80)
  const a6 = v128.load(lanes, 96)
  const a7 = v128.load(lanes, 112)
  const c0 = low8(a0, a1)
  const c1 = low8(a2, a3)
  const c2 = low8(a4, a5)
  const c3 = low8(a6, a7)
  const c4 = high8(a0, a1)
  const c5 = high8(a2, a3)
  const c6 = high8(a4, a5)
  const c7 = high8(a6, a7)
  const d0 = low16(c0, c1)
  const d1 = high16(c0, c1)
  const d2 = low16(c2, c3)
  const d3 = high16(c2, c3)
  const d4 = low16(c4, c5)
  const d5 = high16(c4, c5)
  const d6 = low16(c6, c7)
  const d7 = high16(c6, c7)
  storeTwo(at, step, low32(d0, d2))
  storeTwo(at + 2 * step, step, high32(d0, d2))
  storeTwo(at + 4 * step, step, low32(d1, d3))
  storeTwo(at + 6 * step, step, high32(d1, d3))
  at += 8 * step
  storeTwo(at, step, low32(d4, d6))
  storeTwo(at + 2 * step, step, high32(d4, d6))
  storeTwo(at + 4 * step, step, low32(d5, d7))
  storeTwo(at + 6 * step, step, high32(d5, d7))
}

@inline
function storeTwo(at: usize, step: i32, two: v128): void {
  v128.store64_lane(at, two, 0)
  v128.store64_lane(at + step, two, 1)
}

function lumaColumn(at: usize, alpha: i32, beta: i32, table: usize): void {
  loadTurned(at - 4, stride)
  if (filterLuma(alpha, beta, table)) storeTurned(at - 4, stride)
}

function lumaRow(at: usize, alpha: i32, beta: i32, table: usize): void {
  const from = at - 4 * stride
  for (let i = 0; i < 8; i++) v128.store(lanes + <usize>(i << 4), v128.load(from + i * stride))
  if (!filterLuma(alpha, beta, table)) return
  for (let i = 1; i < 7; i++) v128.store(from + i * stride, v128.load(lanes + <usize>(i << 4)))
}

/** Loads 8 columns of 8 rows of each plane of chroma. */
function chromaColumn(cb: usize, cr: usize, alpha: v128, beta: v128, tableCb: usize, tableCr: usize): void {
  // Four columns matter: two rows fill a vector.
  const a0 = low8(v128.load32_zero(cb - 2), v128.load32_zero(cb - 2 + chromaStride))
  const a1 = low8(v128.load32_zero(cb - 2 + 2 * chromaStride), v128.load32_zero(cb - 2 + 3 * chromaStride))
  const a2 = low8(v128.load32_zero(cb - 2 + 4 * chromaStride), v128.load32_zero(cb - 2 + 5 * chromaStride))
  const a3 = low8(v128.load32_zero(cb - 2 + 6 * chromaStride), v128.load32_zero(cb - 2 + 7 * chromaStride))
  const b0 = low8(v128.load32_zero(cr - 2), v128.load32_zero(cr - 2 + chromaStride))
  const b1 = low8(v128.load32_zero(cr - 2 + 2 * chromaStride), v128.load32_zero(cr - 2 + 3 * chromaStride))
  const b2 = low8(v128.load32_zero(cr - 2 + 4 * chromaStride), v128.load32_zero(cr - 2 + 5 * chromaStride))
  const b3 = low8(v128.load32_zero(cr - 2 + 6 * chromaStride), v128.load32_zero(cr - 2 + 7 * chromaStride))
  const c0 = low16(a0, a1)
  const c1 = low16(a2, a3)
  const c2 = low16(b0, b1)
  const c3 = low16(b2, b3)
  const d0 = low32(c0, c1)
  const d1 = high32(c0, c1)
  const d2 = low32(c2, c3)
  const d3 = high32(c2, c3)
  const p1 = low64(d0, d2)
  const q1 = high64(d1, d3)
  v128.store(lanes, p1, 32)
  v128.store(lanes, high64(d0, d2), 48)
  v128.store(lanes, low64(d1, d3), 64)
  v128.store(lanes, q1, 80)
  if (!filterChroma(alpha, beta, tableCb, tableCr)) return
  const p0 = v128.load(lanes, 48)
  const q0 = v128.load(lanes, 64)
  const left = low8(p0, q0)
  const right = high8(p0, q0)
  storeColumns(cb - 1, left)
  storeColumns(cr - 1, right)
}

@inline
function storeColumns(at: usize, pairs: v128): void {
  v128.store16_lane(at, pairs, 0)
  v128.store16_lane(at + chromaStride, pairs, 1)
  v128.store16_lane(at + 2 * chromaStride, pairs, 2)
  v128.store16_lane(at + 3 * chromaStride, pairs, 3)
  v128.store16_lane(at + 4 * chromaStride, pairs, 4)
  v128.store16_lane(at + 5 * chromaStride, pairs, 5)
  v128.store16_lane(at + 6 * chromaStride, pairs, 6)
  v128.store16_lane(at + 7 * chromaStride, pairs, 7)
}

function chromaRow(cb: usize, cr: usize, alpha: v128, beta: v128, tableCb: usize, tableCr: usize): void {
  for (let i = -2; i < 2; i++)
    v128.store(
      lanes + <usize>((i + 4) << 4),
      v128.load64_lane(cr + i * chromaStride, v128.load64_zero(cb + i * chromaStride), 1),
    )
  if (!filterChroma(alpha, beta, tableCb, tableCr)) return
  const p0 = v128.load(lanes, 48)
  const q0 = v128.load(lanes, 64)
  v128.store64_lane(cb - chromaStride, p0, 0)
  v128.store64_lane(cr - chromaStride, p0, 1)
  v128.store64_lane(cb, q0, 0)
  v128.store64_lane(cr, q0, 1)
}

/** One where vectors differ by four quarters or more, in 32-bit lanes (8.7.2.1). */
@inline
function areFar(a: v128, b: v128): v128 {
  const far = i16x8.gt_u(i16x8.abs(i16x8.sub(a, b)), i16x8.splat(3))
  return i32x4.ne(far, i32x4.splat(0))
}

/** Sources of four blocks, from those of two quarters. */
@inline
function spread(sources: usize, quarter: usize): v128 {
  const left = <i32>load<i8>(sources + quarter)
  const right = <i32>load<i8>(sources + quarter + 1)
  return i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(left), 2, right), 3, right)
}

/** Where the motion of four blocks differs from that of four others. */
@inline
function differs(
  a0: v128, a1: v128, sourceA0: v128, sourceA1: v128, b0: v128, b1: v128, sourceB0: v128, sourceB1: v128,
): v128 {
  const straight = v128.or(
    v128.or(i32x4.ne(sourceA0, sourceB0), i32x4.ne(sourceA1, sourceB1)),
    v128.or(areFar(a0, b0), areFar(a1, b1)),
  )
  if (!v128.any_true(straight)) return straight
  const crossed = v128.or(
    v128.or(i32x4.ne(sourceA0, sourceB1), i32x4.ne(sourceA1, sourceB0)),
    v128.or(areFar(a0, b1), areFar(a1, b0)),
  )
  return v128.and(straight, crossed)
}

/** One byte of 0 or 1 per lane. */
@inline
function toBytes(mask: v128): u32 {
  const bytes = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(mask, mask), i16x8.narrow_i32x4_s(mask, mask))
  return <u32>i32x4.extract_lane(bytes, 0) & 0x01010101
}

/** 2 for each bit of four that is set. */
@inline
function twos(bits: u32): u32 {
  return ((bits & 1) | ((bits & 2) << 7) | ((bits & 4) << 14) | ((bits & 8) << 21)) << 1
}

/** Strengths where coefficients count more than motion. */
@inline
function join(coded: u32, moved: u32): u32 {
  // Bytes of 2 or 0, and of 1 or 0.
  return coded | (moved & ~(coded >> 1))
}

const columns = memory.data(16, 16)
const rows = memory.data(16, 16)

/** Strengths of edges inside a macroblock with one motion, where coefficients alone count. */
@inline
function findCoded(coded: u32): void {
  const low = twos(coded & 15)
  const middle = twos((coded >> 4) & 15)
  const high = twos((coded >> 8) & 15)
  store<u32>(rows, low | middle, 4)
  store<u32>(rows, middle | high, 8)
  store<u32>(rows, high | twos(coded >> 12), 12)
  const pairs = coded | (coded >> 1)
  for (let x: u32 = 0; x < 3; x++) store<u32>(columns + <usize>(x << 2), twos(everyFourth(pairs >> x)), 4)
}

/** Bits 0, 4, 8 and 12 as bits 0 to 3. */
@inline
function everyFourth(bits: u32): u32 {
  return (bits & 1) | ((bits >> 3) & 2) | ((bits >> 6) & 4) | ((bits >> 9) & 8)
}

/** The motion of four blocks in one column. */
@inline
function columnOf(motion: usize, x: usize): v128 {
  return i32x4(
    load<i32>(motion + (x << 2)), load<i32>(motion + 16 + (x << 2)), load<i32>(motion + 32 + (x << 2)), load<i32>(motion + 48 + (x << 2)),
  )
}

/** Sources of four blocks in one column. */
@inline
function columnSources(sources: usize, x: usize): v128 {
  const upper = <i32>load<i8>(sources + x)
  const lower = <i32>load<i8>(sources + 2 + x)
  return i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(upper), 2, lower), 3, lower)
}

/** Strengths of the edges of a macroblock with one motion. */
function findWhole(picture: Picture, mb: i32, left: i32, above: i32): void {
  const coded = <u32>load<u16>(filled + <usize>(mb << 1))
  v128.store(rows, i32x4.splat(0))
  v128.store(columns, i32x4.splat(0))
  if (coded) findCoded(coded)
  const here0 = i32x4.splat(load<i32>(picture.motion0 + <usize>(mb << 6)))
  const here1 = i32x4.splat(load<i32>(picture.motion1 + <usize>(mb << 6)))
  const source0 = i32x4.splat(<i32>load<i8>(picture.source0 + <usize>(mb << 2)))
  const source1 = i32x4.splat(<i32>load<i8>(picture.source1 + <usize>(mb << 2)))
  if (above != mb) {
    const motion0 = v128.load(picture.motion0 + <usize>((above << 6) + 48))
    const motion1 = v128.load(picture.motion1 + <usize>((above << 6) + 48))
    const moved = differs(
      here0, here1, source0, source1, motion0, motion1,
      spread(picture.source0 + <usize>(above << 2), 2), spread(picture.source1 + <usize>(above << 2), 2),
    )
    const codedAbove = <u32>load<u16>(filled + <usize>(above << 1)) >> 12
    store<u32>(rows, join(twos((coded & 15) | codedAbove), toBytes(moved)))
  }
  if (left != mb) {
    const moved = differs(
      here0, here1, source0, source1,
      columnOf(picture.motion0 + <usize>(left << 6), 3), columnOf(picture.motion1 + <usize>(left << 6), 3),
      columnSources(picture.source0 + <usize>(left << 2), 1), columnSources(picture.source1 + <usize>(left << 2), 1),
    )
    const codedLeft = everyFourth(<u32>load<u16>(filled + <usize>(left << 1)) >> 3)
    store<u32>(columns, join(twos(everyFourth(coded) | codedLeft), toBytes(moved)))
  }
}

/** Strengths of the edges of any other macroblock that is not intra. */
function findStrengths(picture: Picture, mb: i32, left: i32, above: i32): void {
  const coded = <u32>load<u16>(filled + <usize>(mb << 1))
  const motion0 = picture.motion0 + <usize>(mb << 6)
  const motion1 = picture.motion1 + <usize>(mb << 6)
  const source0 = picture.source0 + <usize>(mb << 2)
  const source1 = picture.source1 + <usize>(mb << 2)
  // Edges between rows of blocks; the first is that to the macroblock above.
  let before0 = v128.load(picture.motion0 + <usize>((above << 6) + 48))
  let before1 = v128.load(picture.motion1 + <usize>((above << 6) + 48))
  let beforeSource0 = spread(picture.source0 + <usize>(above << 2), 2)
  let beforeSource1 = spread(picture.source1 + <usize>(above << 2), 2)
  let beforeCoded = (<u32>load<u16>(filled + <usize>(above << 1)) >> 12) & 15
  // Columns come row by row: bit r of an edge is that of row r.
  let column0: u32 = 0
  let column1: u32 = 0
  let column2: u32 = 0
  let column3: u32 = 0
  for (let y: usize = 0; y < 4; y++) {
    const here0 = v128.load(motion0 + (y << 4))
    const here1 = v128.load(motion1 + (y << 4))
    const hereSource0 = spread(source0, y & 2)
    const hereSource1 = spread(source1, y & 2)
    const hereCoded = (coded >> <u32>(y << 2)) & 15
    const moved = differs(here0, here1, hereSource0, hereSource1, before0, before1, beforeSource0, beforeSource1)
    store<u32>(rows + (y << 2), join(twos(hereCoded | beforeCoded), toBytes(moved)))
    before0 = here0
    before1 = here1
    beforeSource0 = hereSource0
    beforeSource1 = hereSource1
    beforeCoded = hereCoded
    // The blocks to the left: the last of the macroblock to the left, then the first three.
    const leftPlace = <usize>((left << 6) + <i32>(y << 4) + 12)
    const leftQuarter = <usize>(left << 2) + (y & 2) + 1
    const toLeft0 = i32x4.replace_lane(v128.shuffle<i32>(here0, here0, 0, 0, 1, 2), 0, load<i32>(picture.motion0 + leftPlace))
    const toLeft1 = i32x4.replace_lane(v128.shuffle<i32>(here1, here1, 0, 0, 1, 2), 0, load<i32>(picture.motion1 + leftPlace))
    const leftSource0 = i32x4.replace_lane(
      v128.shuffle<i32>(hereSource0, hereSource0, 0, 0, 1, 2), 0, <i32>load<i8>(picture.source0 + leftQuarter),
    )
    const leftSource1 = i32x4.replace_lane(
      v128.shuffle<i32>(hereSource1, hereSource1, 0, 0, 1, 2), 0, <i32>load<i8>(picture.source1 + leftQuarter),
    )
    const leftCoded = (<u32>load<u16>(filled + <usize>(left << 1)) >> <u32>((y << 2) + 3)) & 1
    const sideMoved = differs(here0, here1, hereSource0, hereSource1, toLeft0, toLeft1, leftSource0, leftSource1)
    const side = join(twos(hereCoded | ((hereCoded << 1) & 15) | leftCoded), toBytes(sideMoved))
    const shift = <u32>(y << 3)
    column0 |= (side & 255) << shift
    column1 |= ((side >> 8) & 255) << shift
    column2 |= ((side >> 16) & 255) << shift
    column3 |= (side >> 24) << shift
  }
  store<u32>(columns, column0)
  store<u32>(columns, column1, 4)
  store<u32>(columns, column2, 8)
  store<u32>(columns, column3, 12)
}

/** Filters one row of macroblocks. Those above are filtered already. */
export function deblockRow(picture: Picture, y: i32): void {
  for (let x = 0; x < width; x++) {
    const mb = macroblockAt(x, y)
    const filter = filters + <usize>(mb << 2)
    const mode = load<u8>(filter)
    if (mode == 1) continue
    const slice = load<u16>(slices + <usize>(mb << 1))
    const left = mb - 1
    const above = mb - pitch
    const hasLeft = x > 0 && (mode == 0 || load<u16>(slices + <usize>(left << 1)) == slice)
    const hasTop = y > 0 && (mode == 0 || load<u16>(slices + <usize>(above << 1)) == slice)
    const offsetA = <i32>load<i8>(filter, 1)
    const offsetB = <i32>load<i8>(filter, 2)
    const kind = load<u8>(kinds + mb)
    const isLargeHere = (kind & isLarge) != 0
    if (kind & isIntra) {
      v128.store(columns, i8x16.splat(3))
      v128.store(rows, i8x16.splat(3))
      store<u32>(columns, 0x04040404)
      store<u32>(rows, 0x04040404)
    } else {
      if (load<u8>(filter, 3)) findWhole(picture, mb, hasLeft ? left : mb, hasTop ? above : mb)
      else findStrengths(picture, mb, hasLeft ? left : mb, hasTop ? above : mb)
      if (load<u8>(kinds + left) & isIntra) store<u32>(columns, 0x04040404)
      if (load<u8>(kinds + above) & isIntra) store<u32>(rows, 0x04040404)
    }
    const luma = picture.luma + <usize>(16 * (y * stride + x))
    const chroma = <usize>(8 * (y * chromaStride + x))
    const cb = picture.cb + chroma
    const cr = picture.cr + chroma
    const qp = quantisers + <usize>(mb << 2)
    for (let direction = 0; direction < 2; direction++) {
      const strengthsAt = direction == 0 ? columns : rows
      for (let edge = 0; edge < 4; edge++) {
        const other = edge > 0 ? qp : quantisers + <usize>((direction == 0 ? left : above) << 2)
        if (edge == 0 && !(direction == 0 ? hasLeft : hasTop)) continue
        strengths = load<u32>(strengthsAt + <usize>(edge << 2))
        if (strengths == 0) continue
        if (!(isLargeHere && (edge & 1))) {
          const mean = (<i32>load<u8>(qp) + <i32>load<u8>(other) + 1) >> 1
          const indexA = min(max(mean + offsetA, 0), 51)
          const indexB = min(max(mean + offsetB, 0), 51)
          const alpha = <i32>load<u8>(alphas + indexA)
          const beta = <i32>load<u8>(betas + indexB)
          if (alpha != 0 && beta != 0) {
            const table = limits + <usize>(indexA << 2)
            if (direction == 0) lumaColumn(luma + (edge << 2), alpha, beta, table)
            else lumaRow(luma + <usize>((edge << 2) * stride), alpha, beta, table)
          }
        }
        if (edge & 1) continue
        const meanCb = (<i32>load<u8>(qp, 1) + <i32>load<u8>(other, 1) + 1) >> 1
        const meanCr = (<i32>load<u8>(qp, 2) + <i32>load<u8>(other, 2) + 1) >> 1
        const indexCb = min(max(meanCb + offsetA, 0), 51)
        const indexCr = min(max(meanCr + offsetA, 0), 51)
        const alpha = low64(i8x16.splat(load<u8>(alphas + indexCb)), i8x16.splat(load<u8>(alphas + indexCr)))
        const beta = low64(
          i8x16.splat(load<u8>(betas + min(max(meanCb + offsetB, 0), 51))),
          i8x16.splat(load<u8>(betas + min(max(meanCr + offsetB, 0), 51))),
        )
        const tableCb = limits + <usize>(indexCb << 2)
        const tableCr = limits + <usize>(indexCr << 2)
        if (direction == 0) chromaColumn(cb + (edge << 1), cr + (edge << 1), alpha, beta, tableCb, tableCr)
        else chromaRow(cb + <usize>((edge << 1) * chromaStride), cr + <usize>((edge << 1) * chromaStride), alpha, beta, tableCb, tableCr)
      }
    }
  }
}
