/** Scaling and inverse transforms (8.5). Blocks are stored by columns, and cleared when they are used. */
import { listsBytes, Pps, resolveLists, Sps } from './headers'

// Table of 8.5.9: factors by the remainder of the quantiser.
const norm4 = memory.data<u8>([10, 16, 13, 11, 18, 14, 13, 20, 16, 14, 23, 18, 16, 25, 20, 18, 29, 23])
const norm8 = memory.data<u8>([
  20, 18, 32, 19, 25, 24, 22, 19, 35, 21, 28, 26, 26, 23, 42, 24, 33, 31, 28, 25, 45, 26, 35, 33,
  32, 28, 51, 30, 40, 38, 36, 32, 58, 34, 46, 43,
])

/** `int32 [6 lists][52 quantisers][16]` and `[2][52][64]`, in the order of coefficients. */
const scales4 = memory.data(6 * 52 * 16 * 4, 16)
const scales8 = memory.data(2 * 52 * 64 * 4, 16)

@inline
export function scale4(list: i32, qp: i32): usize {
  return scales4 + <usize>((list * 52 + qp) << 6)
}

@inline
export function scale8(list: i32, qp: i32): usize {
  return scales8 + <usize>((list * 52 + qp) << 8)
}

const current = memory.data(listsBytes, 16)
let isPrepared = false

/** Prepares the factors for a picture, if its lists differ from those before. */
export function prepareScales(sps: Sps, pps: Pps, order4: usize, order8: usize): void {
  const lists = resolveLists(sps, pps)
  if (isPrepared && memory.compare(lists, current, listsBytes) == 0) return
  memory.copy(current, lists, listsBytes)
  isPrepared = true
  for (let qp = 0; qp < 52; qp++) {
    const up = qp / 6
    const rest = <usize>(qp % 6)
    for (let k = 0; k < 16; k++) {
      const place = <i32>load<u8>(order4 + k)
      const kind: usize = (place & 5) == 0 ? 0 : (place & 5) == 5 ? 1 : 2
      const factor = <i32>load<u8>(norm4 + rest * 3 + kind) << up
      for (let list = 0; list < 6; list++)
        store<i32>(scale4(list, qp) + <usize>(k << 2), factor * <i32>load<u8>(current + <usize>(list * 16 + k)))
    }
    for (let k = 0; k < 64; k++) {
      const place = <i32>load<u8>(order8 + k)
      const x = place >> 3
      const y = place & 7
      let kind: usize
      if ((x & 3) == 0 && (y & 3) == 0) kind = 0
      else if ((x & 1) == 1 && (y & 1) == 1) kind = 1
      else if ((x & 3) == 2 && (y & 3) == 2) kind = 2
      else if (((x & 3) == 0 && (y & 1) == 1) || ((x & 1) == 1 && (y & 3) == 0)) kind = 3
      else if (((x & 3) == 0 && (y & 3) == 2) || ((x & 3) == 2 && (y & 3) == 0)) kind = 4
      else kind = 5
      const factor = <i32>load<u8>(norm8 + rest * 6 + kind) << up
      for (let list = 0; list < 2; list++)
        store<i32>(scale8(list, qp) + <usize>(k << 2), factor * <i32>load<u8>(current + <usize>(96 + list * 64 + k)))
    }
  }
}

/** Adds eight residuals to pixels. */
@inline
function add8(to: usize, row: v128): void {
  const pixels = v128.load8x8_u(to)
  const sum = i16x8.add(pixels, row)
  v128.store64_lane(to, i8x16.narrow_i16x8_u(sum, sum), 0)
}

@inline
function add4(to: usize, row: v128): void {
  const pixels = i16x8.extend_low_i8x16_u(v128.load32_zero(to))
  const sum = i16x8.add(pixels, row)
  v128.store32_lane(to, i8x16.narrow_i16x8_u(sum, sum), 0)
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

/** Adds a block of 4 x 4 to the picture. */
export function addBlock4(from: usize, to: usize, stride: i32): void {
  const c0 = v128.load64_zero(from)
  const c1 = v128.load64_zero(from, 8)
  const c2 = v128.load64_zero(from, 16)
  const c3 = v128.load64_zero(from, 24)
  const zero = i16x8.splat(0)
  v128.store(from, zero)
  v128.store(from, zero, 16)
  let e0 = i16x8.add(c0, c2)
  let e1 = i16x8.sub(c0, c2)
  let e2 = i16x8.sub(i16x8.shr_s(c1, 1), c3)
  let e3 = i16x8.add(c1, i16x8.shr_s(c3, 1))
  const f01 = low16(i16x8.add(e0, e3), i16x8.add(e1, e2))
  const f23 = low16(i16x8.sub(e1, e2), i16x8.sub(e0, e3))
  // Rows 0 and 1, rows 2 and 3.
  const r01 = low32(f01, f23)
  const r23 = high32(f01, f23)
  const r1 = high64(r01, r01)
  const r3 = high64(r23, r23)
  e0 = i16x8.add(i16x8.add(r01, r23), i16x8.splat(32))
  e1 = i16x8.add(i16x8.sub(r01, r23), i16x8.splat(32))
  e2 = i16x8.sub(i16x8.shr_s(r1, 1), r3)
  e3 = i16x8.add(r1, i16x8.shr_s(r3, 1))
  add4(to, i16x8.shr_s(i16x8.add(e0, e3), 6))
  to += stride
  add4(to, i16x8.shr_s(i16x8.add(e1, e2), 6))
  to += stride
  add4(to, i16x8.shr_s(i16x8.sub(e1, e2), 6))
  to += stride
  add4(to, i16x8.shr_s(i16x8.sub(e0, e3), 6))
}

/** Adds two blocks of 4 x 4 beside each other. */
export function addPair4(from: usize, to: usize, stride: i32): void {
  const a0 = v128.load(from)
  const a1 = v128.load(from, 16)
  const b0 = v128.load(from, 32)
  const b1 = v128.load(from, 48)
  const zero = i16x8.splat(0)
  v128.store(from, zero)
  v128.store(from, zero, 16)
  v128.store(from, zero, 32)
  v128.store(from, zero, 48)
  const c0 = low64(a0, b0)
  const c1 = high64(a0, b0)
  const c2 = low64(a1, b1)
  const c3 = high64(a1, b1)
  let e0 = i16x8.add(c0, c2)
  let e1 = i16x8.sub(c0, c2)
  let e2 = i16x8.sub(i16x8.shr_s(c1, 1), c3)
  let e3 = i16x8.add(c1, i16x8.shr_s(c3, 1))
  const f0 = i16x8.add(e0, e3)
  const f1 = i16x8.add(e1, e2)
  const f2 = i16x8.sub(e1, e2)
  const f3 = i16x8.sub(e0, e3)
  const left01 = low16(f0, f1)
  const left23 = low16(f2, f3)
  const right01 = high16(f0, f1)
  const right23 = high16(f2, f3)
  const leftTop = low32(left01, left23)
  const rightTop = low32(right01, right23)
  const leftBottom = high32(left01, left23)
  const rightBottom = high32(right01, right23)
  const r0 = low64(leftTop, rightTop)
  const r1 = high64(leftTop, rightTop)
  const r2 = low64(leftBottom, rightBottom)
  const r3 = high64(leftBottom, rightBottom)
  e0 = i16x8.add(i16x8.add(r0, r2), i16x8.splat(32))
  e1 = i16x8.add(i16x8.sub(r0, r2), i16x8.splat(32))
  e2 = i16x8.sub(i16x8.shr_s(r1, 1), r3)
  e3 = i16x8.add(r1, i16x8.shr_s(r3, 1))
  add8(to, i16x8.shr_s(i16x8.add(e0, e3), 6))
  to += stride
  add8(to, i16x8.shr_s(i16x8.add(e1, e2), 6))
  to += stride
  add8(to, i16x8.shr_s(i16x8.sub(e1, e2), 6))
  to += stride
  add8(to, i16x8.shr_s(i16x8.sub(e0, e3), 6))
}

const work = memory.data(128, 16)

/** One dimension of eight vectors (8.5.13). */
@inline
function pass8(from: usize, bias: v128): void {
  const i0 = i16x8.add(v128.load(from), bias)
  const i1 = v128.load(from, 16)
  const i2 = v128.load(from, 32)
  const i3 = v128.load(from, 48)
  const i4 = v128.load(from, 64)
  const i5 = v128.load(from, 80)
  const i6 = v128.load(from, 96)
  const i7 = v128.load(from, 112)
  const a0 = i16x8.add(i0, i4)
  const a4 = i16x8.sub(i0, i4)
  const a2 = i16x8.sub(i16x8.shr_s(i2, 1), i6)
  const a6 = i16x8.add(i2, i16x8.shr_s(i6, 1))
  const b0 = i16x8.add(a0, a6)
  const b2 = i16x8.add(a4, a2)
  const b4 = i16x8.sub(a4, a2)
  const b6 = i16x8.sub(a0, a6)
  const a1 = i16x8.sub(i16x8.sub(i5, i3), i16x8.add(i7, i16x8.shr_s(i7, 1)))
  const a3 = i16x8.sub(i16x8.add(i1, i7), i16x8.add(i3, i16x8.shr_s(i3, 1)))
  const a5 = i16x8.add(i16x8.sub(i7, i1), i16x8.add(i5, i16x8.shr_s(i5, 1)))
  const a7 = i16x8.add(i16x8.add(i3, i5), i16x8.add(i1, i16x8.shr_s(i1, 1)))
  const b1 = i16x8.add(a1, i16x8.shr_s(a7, 2))
  const b7 = i16x8.sub(a7, i16x8.shr_s(a1, 2))
  const b3 = i16x8.add(a3, i16x8.shr_s(a5, 2))
  const b5 = i16x8.sub(i16x8.shr_s(a3, 2), a5)
  v128.store(work, i16x8.add(b0, b7))
  v128.store(work, i16x8.add(b2, b5), 16)
  v128.store(work, i16x8.add(b4, b3), 32)
  v128.store(work, i16x8.add(b6, b1), 48)
  v128.store(work, i16x8.sub(b6, b1), 64)
  v128.store(work, i16x8.sub(b4, b3), 80)
  v128.store(work, i16x8.sub(b2, b5), 96)
  v128.store(work, i16x8.sub(b0, b7), 112)
}

/** Adds a block of 8 x 8. */
export function addBlock8(from: usize, to: usize, stride: i32): void {
  pass8(from, i16x8.splat(0))
  for (let i: usize = 0; i < 128; i += 16) v128.store(from + i, i16x8.splat(0))
  const w0 = v128.load(work)
  const w1 = v128.load(work, 16)
  const w2 = v128.load(work, 32)
  const w3 = v128.load(work, 48)
  const w4 = v128.load(work, 64)
  const w5 = v128.load(work, 80)
  const w6 = v128.load(work, 96)
  const w7 = v128.load(work, 112)
  const t0 = low16(w0, w1)
  const t1 = low16(w2, w3)
  const t2 = low16(w4, w5)
  const t3 = low16(w6, w7)
  const t4 = high16(w0, w1)
  const t5 = high16(w2, w3)
  const t6 = high16(w4, w5)
  const t7 = high16(w6, w7)
  const u0 = low32(t0, t1)
  const u1 = high32(t0, t1)
  const u2 = low32(t2, t3)
  const u3 = high32(t2, t3)
  const u4 = low32(t4, t5)
  const u5 = high32(t4, t5)
  const u6 = low32(t6, t7)
  const u7 = high32(t6, t7)
  v128.store(work, low64(u0, u2))
  v128.store(work, high64(u0, u2), 16)
  v128.store(work, low64(u1, u3), 32)
  v128.store(work, high64(u1, u3), 48)
  v128.store(work, low64(u4, u6), 64)
  v128.store(work, high64(u4, u6), 80)
  v128.store(work, low64(u5, u7), 96)
  v128.store(work, high64(u5, u7), 112)
  pass8(work, i16x8.splat(32))
  for (let y: usize = 0; y < 8; y++) {
    add8(to, i16x8.shr_s(v128.load(work + (y << 4)), 6))
    to += stride
  }
}

/** Adds blocks of 4 x 4 of which only the DC is there. */
export function addDc4(from: usize, to: usize, stride: i32): void {
  const dc = i16x8.splat(<i16>((<i32>load<i16>(from) + 32) >> 6))
  store<i16>(from, 0)
  add4(to, dc)
  add4(to + stride, dc)
  add4(to + 2 * stride, dc)
  add4(to + 3 * stride, dc)
}

/** The same of 8 x 8. */
export function addDc8(from: usize, to: usize, stride: i32): void {
  const dc = i16x8.splat(<i16>((<i32>load<i16>(from) + 32) >> 6))
  store<i16>(from, 0)
  for (let y = 0; y < 8; y++) {
    add8(to, dc)
    to += stride
  }
}

/**
 * Transforms and scales the 16 DC of a macroblock (8.5.10), read into `from` by columns, into the first coefficients of its blocks.
 */
export function spreadLumaDc(from: usize, to: usize, order: usize, factor: i32): void {
  for (let pass = 0; pass < 2; pass++) {
    const step: usize = pass == 0 ? 8 : 2
    const across: usize = pass == 0 ? 2 : 8
    for (let i: usize = 0; i < 4; i++) {
      const at = from + i * across
      const a = <i32>load<i16>(at)
      const b = <i32>load<i16>(at + step)
      const c = <i32>load<i16>(at + 2 * step)
      const d = <i32>load<i16>(at + 3 * step)
      store<i16>(at, <i16>(a + b + c + d))
      store<i16>(at + step, <i16>(a + b - c - d))
      store<i16>(at + 2 * step, <i16>(a - b - c + d))
      store<i16>(at + 3 * step, <i16>(a - b + c - d))
    }
  }
  for (let k = 0; k < 16; k++) {
    const place = <i32>load<u8>(order + k)
    const value = <i32>load<i16>(from + <usize>((((place & 3) << 2) | (place >> 2)) << 1))
    store<i16>(to + <usize>(k << 5), <i16>((value * factor + 32) >> 6))
  }
  v128.store(from, i16x8.splat(0))
  v128.store(from, i16x8.splat(0), 16)
}

/** The same of the four DC of a chroma plane (8.5.11). */
export function spreadChromaDc(from: usize, to: usize, factor: i32): void {
  const a = <i32>load<i16>(from)
  const b = <i32>load<i16>(from, 2)
  const c = <i32>load<i16>(from, 4)
  const d = <i32>load<i16>(from, 6)
  store<i64>(from, 0)
  store<i16>(to, <i16>(((a + b + c + d) * factor) >> 5))
  store<i16>(to, <i16>(((a - b + c - d) * factor) >> 5), 32)
  store<i16>(to, <i16>(((a + b - c - d) * factor) >> 5), 64)
  store<i16>(to, <i16>(((a - b - c + d) * factor) >> 5), 96)
}
