/**
 * Inverse DCT to blocks of 8, 4, 2 or 1 rows and columns. Eight give the picture as common decoders round it (the fast DCT of
 * Loeffler, Ligtenberg and Moschytz 1989 with 13-bit factors, here as the products it amounts to). Fewer give the averages of
 * 2, 4 or 8 of those pixels: the average of neighbours is a linear function of the coefficients too, in which the frequencies
 * above the new limit appear with the sign of their alias.
 */

/** int16 `[8,8]` each. */
const work = memory.data(128, 16)
const turned = memory.data(128, 16)

/** A pair of factors for `dot_i16x8_s`. */
@inline
function pair(first: i32, second: i32): v128 {
  return i32x4.splat((second << 16) | (first & 0xffff))
}

@inline
function low(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
}

@inline
function high(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
}

/** Sum of four products. */
@inline
function products(a: v128, factorsA: v128, b: v128, factorsB: v128): v128 {
  return i32x4.add(i32x4.dot_i16x8_s(a, factorsA), i32x4.dot_i16x8_s(b, factorsB))
}

/** Rounds the sums of eight lanes. */
@inline
function round(lowSums: v128, highSums: v128, shift: i32): v128 {
  const half = i32x4.splat(1 << (shift - 1))
  return i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.add(lowSums, half), shift),
    i32x4.shr_s(i32x4.add(highSums, half), shift),
  )
}

/** Stores the sum and the difference of two parts as two rows. */
@inline
function storeBoth(first: usize, second: usize, a: v128, b: v128, c: v128, d: v128, shift: i32): void {
  v128.store(first, round(i32x4.add(a, c), i32x4.add(b, d), shift))
  v128.store(second, round(i32x4.sub(a, c), i32x4.sub(b, d), shift))
}

/** Eight rows of eight from eight. */
function transform8(from: usize, to: usize, shift: i32): void {
  const x0 = v128.load(from)
  const x1 = v128.load(from, 16)
  const x2 = v128.load(from, 32)
  const x3 = v128.load(from, 48)
  const x4 = v128.load(from, 64)
  const x5 = v128.load(from, 80)
  const x6 = v128.load(from, 96)
  const x7 = v128.load(from, 112)
  const even0 = low(x0, x4)
  const even1 = high(x0, x4)
  const even2 = low(x2, x6)
  const even3 = high(x2, x6)
  const sum0 = i32x4.dot_i16x8_s(even0, pair(8192, 8192))
  const sum1 = i32x4.dot_i16x8_s(even1, pair(8192, 8192))
  const difference0 = i32x4.dot_i16x8_s(even0, pair(8192, -8192))
  const difference1 = i32x4.dot_i16x8_s(even1, pair(8192, -8192))
  const outer0 = i32x4.dot_i16x8_s(even2, pair(10703, 4433))
  const outer1 = i32x4.dot_i16x8_s(even3, pair(10703, 4433))
  const inner0 = i32x4.dot_i16x8_s(even2, pair(4433, -10704))
  const inner1 = i32x4.dot_i16x8_s(even3, pair(4433, -10704))
  const a0 = low(x1, x7)
  const a1 = high(x1, x7)
  const b0 = low(x3, x5)
  const b1 = high(x3, x5)
  storeBoth(
    to, to + 112,
    i32x4.add(sum0, outer0), i32x4.add(sum1, outer1),
    products(a0, pair(11363, 2260), b0, pair(9633, 6437)), products(a1, pair(11363, 2260), b1, pair(9633, 6437)),
    shift,
  )
  storeBoth(
    to + 16, to + 96,
    i32x4.add(difference0, inner0), i32x4.add(difference1, inner1),
    products(a0, pair(9633, -6436), b0, pair(-2259, -11362)), products(a1, pair(9633, -6436), b1, pair(-2259, -11362)),
    shift,
  )
  storeBoth(
    to + 32, to + 80,
    i32x4.sub(difference0, inner0), i32x4.sub(difference1, inner1),
    products(a0, pair(6437, 9633), b0, pair(-11362, 2261)), products(a1, pair(6437, 9633), b1, pair(-11362, 2261)),
    shift,
  )
  storeBoth(
    to + 48, to + 64,
    i32x4.sub(sum0, outer0), i32x4.sub(sum1, outer1),
    products(a0, pair(2260, -11363), b0, pair(-6436, 9633)), products(a1, pair(2260, -11363), b1, pair(-6436, 9633)),
    shift,
  )
}

/** Four rows of eight from eight. */
function transform4(from: usize, to: usize, shift: i32): void {
  const x0 = v128.load(from)
  const x1 = v128.load(from, 16)
  const x3 = v128.load(from, 48)
  const x5 = v128.load(from, 80)
  const x7 = v128.load(from, 112)
  const zero = i16x8.splat(0)
  const mean0 = i32x4.dot_i16x8_s(low(x0, zero), pair(8192, 0))
  const mean1 = i32x4.dot_i16x8_s(high(x0, zero), pair(8192, 0))
  const x2 = v128.load(from, 32)
  const x6 = v128.load(from, 96)
  const even0 = i32x4.dot_i16x8_s(low(x2, x6), pair(7568, -3135))
  const even1 = i32x4.dot_i16x8_s(high(x2, x6), pair(7568, -3135))
  const a0 = low(x1, x7)
  const a1 = high(x1, x7)
  const b0 = low(x3, x5)
  const b1 = high(x3, x5)
  storeBoth(
    to, to + 48,
    i32x4.add(mean0, even0), i32x4.add(mean1, even1),
    products(a0, pair(10498, -2088), b0, pair(3686, -2463)), products(a1, pair(10498, -2088), b1, pair(3686, -2463)),
    shift,
  )
  storeBoth(
    to + 16, to + 32,
    i32x4.sub(mean0, even0), i32x4.sub(mean1, even1),
    products(a0, pair(4348, -865), b0, pair(-8900, 5946)), products(a1, pair(4348, -865), b1, pair(-8900, 5946)),
    shift,
  )
}

/** Two rows of eight from eight. */
function transform2(from: usize, to: usize, shift: i32): void {
  const x0 = v128.load(from)
  const x1 = v128.load(from, 16)
  const x3 = v128.load(from, 48)
  const x5 = v128.load(from, 80)
  const x7 = v128.load(from, 112)
  const zero = i16x8.splat(0)
  storeBoth(
    to, to + 16,
    i32x4.dot_i16x8_s(low(x0, zero), pair(8192, 0)), i32x4.dot_i16x8_s(high(x0, zero), pair(8192, 0)),
    products(low(x1, x7), pair(7423, -1477), low(x3, x5), pair(-2607, 1742)),
    products(high(x1, x7), pair(7423, -1477), high(x3, x5), pair(-2607, 1742)),
    shift,
  )
}

/** One row of eight: the mean. */
function transform1(from: usize, to: usize, shift: i32): void {
  const x0 = v128.load(from)
  const zero = i16x8.splat(0)
  v128.store(
    to,
    round(
      i32x4.dot_i16x8_s(low(x0, zero), pair(8192, 0)),
      i32x4.dot_i16x8_s(high(x0, zero), pair(8192, 0)),
      shift,
    ),
  )
}

@inline
function transform(rows: i32, from: usize, to: usize, shift: i32): void {
  if (rows == 8) transform8(from, to, shift)
  else if (rows == 4) transform4(from, to, shift)
  else if (rows == 2) transform2(from, to, shift)
  else transform1(from, to, shift)
}

/** Transposes 8 × 8 values. */
function transpose(from: usize, to: usize): void {
  const x0 = v128.load(from)
  const x1 = v128.load(from, 16)
  const x2 = v128.load(from, 32)
  const x3 = v128.load(from, 48)
  const x4 = v128.load(from, 64)
  const x5 = v128.load(from, 80)
  const x6 = v128.load(from, 96)
  const x7 = v128.load(from, 112)
  const a0 = low(x0, x4)
  const a1 = high(x0, x4)
  const a2 = low(x1, x5)
  const a3 = high(x1, x5)
  const a4 = low(x2, x6)
  const a5 = high(x2, x6)
  const a6 = low(x3, x7)
  const a7 = high(x3, x7)
  const b0 = low(a0, a4)
  const b1 = high(a0, a4)
  const b2 = low(a1, a5)
  const b3 = high(a1, a5)
  const b4 = low(a2, a6)
  const b5 = high(a2, a6)
  const b6 = low(a3, a7)
  const b7 = high(a3, a7)
  v128.store(to, low(b0, b4))
  v128.store(to, high(b0, b4), 16)
  v128.store(to, low(b1, b5), 32)
  v128.store(to, high(b1, b5), 48)
  v128.store(to, low(b2, b6), 64)
  v128.store(to, high(b2, b6), 80)
  v128.store(to, low(b3, b7), 96)
  v128.store(to, high(b3, b7), 112)
}

/** Writes a block of one value. */
function fill(level: i32, rows: i32, columns: i32, to: usize, stride: usize): void {
  const value = min(255, max(0, ((level + 4) >> 3) + 128))
  const eight = <u64>value * 0x0101010101010101
  for (let row = 0; row < rows; row++, to += stride) {
    if (columns == 8) store<u64>(to, eight)
    else if (columns == 4) store<u32>(to, <u32>eight)
    else if (columns == 2) store<u16>(to, <u16>eight)
    else store<u8>(to, <u8>eight)
  }
}

/**
 * Dequantises and transforms a block.
 * @param last the last place in coded order that may be other than 0
 * @param to uint8 `[rows,columns]`, with a stride
 */
export function inverse(block: usize, steps: usize, last: i32, rows: i32, columns: i32, to: usize, stride: usize): void {
  if (last == 0 || (rows == 1 && columns == 1)) {
    fill(<i32>load<i16>(block) * <i32>load<i16>(steps), rows, columns, to, stride)
    return
  }
  for (let at: usize = 0; at < 128; at += 16) {
    v128.store(work + at, i16x8.mul(v128.load(block + at), v128.load(steps + at)))
  }
  transform(rows, work, turned, 11)
  transpose(turned, work)
  transform(columns, work, turned, 18)
  transpose(turned, work)
  const middle = i16x8.splat(128)
  for (let row: usize = 0; row < <usize>rows; row++, to += stride) {
    const levels = i16x8.add_sat_s(v128.load(work + (row << 4)), middle)
    const bytes = i8x16.narrow_i16x8_u(levels, levels)
    if (columns == 8) store<u64>(to, i64x2.extract_lane(bytes, 0))
    else if (columns == 4) store<u32>(to, i32x4.extract_lane(bytes, 0))
    else if (columns == 2) store<u16>(to, i16x8.extract_lane_u(bytes, 0))
    else store<u8>(to, i8x16.extract_lane_u(bytes, 0))
  }
}
