/** Inverse transforms (14.3, 14.4). Blocks are int16, by rows, and cleared when they are used. */

/** Four rows: as many columns. */
let row0: v128 = i32x4.splat(0)
let row1: v128 = i32x4.splat(0)
let row2: v128 = i32x4.splat(0)
let row3: v128 = i32x4.splat(0)

function loadRows(at: usize): void {
  row0 = v128.load16x4_s(at)
  row1 = v128.load16x4_s(at, 8)
  row2 = v128.load16x4_s(at, 16)
  row3 = v128.load16x4_s(at, 24)
  v128.store(at, i32x4.splat(0))
  v128.store(at, i32x4.splat(0), 16)
}

function transpose(): void {
  const a = v128.shuffle<i32>(row0, row1, 0, 4, 1, 5)
  const b = v128.shuffle<i32>(row0, row1, 2, 6, 3, 7)
  const c = v128.shuffle<i32>(row2, row3, 0, 4, 1, 5)
  const d = v128.shuffle<i32>(row2, row3, 2, 6, 3, 7)
  row0 = v128.shuffle<i64>(a, c, 0, 2)
  row1 = v128.shuffle<i64>(a, c, 1, 3)
  row2 = v128.shuffle<i64>(b, d, 0, 2)
  row3 = v128.shuffle<i64>(b, d, 1, 3)
}

/** Times the sine of π/8, and times its cosine, both by the square root of 2. */
@inline
function sine(values: v128): v128 {
  return i32x4.shr_s(i32x4.mul(values, i32x4.splat(35468)), 16)
}

@inline
function cosine(values: v128): v128 {
  return i32x4.add(values, i32x4.shr_s(i32x4.mul(values, i32x4.splat(20091)), 16))
}

function transformColumns(): void {
  const a = i32x4.add(row0, row2)
  const b = i32x4.sub(row0, row2)
  const c = i32x4.sub(sine(row1), cosine(row3))
  const d = i32x4.add(cosine(row1), sine(row3))
  row0 = i32x4.add(a, d)
  row1 = i32x4.add(b, c)
  row2 = i32x4.sub(b, c)
  row3 = i32x4.sub(a, d)
}

@inline
function addFour(to: usize, residual: v128): void {
  const pixels = i16x8.extend_low_i8x16_u(v128.load32_zero(to))
  const sum = i16x8.add_sat_s(pixels, i16x8.narrow_i32x4_s(residual, residual))
  v128.store32_lane(to, i8x16.narrow_i16x8_u(sum, sum), 0)
}

@inline
function round3(values: v128, half: i32): v128 {
  return i32x4.shr_s(i32x4.add(values, i32x4.splat(half)), 3)
}

/** Adds the residual of a block to its pixels. */
export function addResidual(to: usize, stride: i32, block: usize): void {
  loadRows(block)
  transformColumns()
  transpose()
  transformColumns()
  transpose()
  addFour(to, round3(row0, 4))
  addFour(to + stride, round3(row1, 4))
  addFour(to + 2 * stride, round3(row2, 4))
  addFour(to + 3 * stride, round3(row3, 4))
}

/** The same of a block that has nothing but DC. */
export function addDc(to: usize, stride: i32, block: usize): void {
  const residual = i32x4.splat((<i32>load<i16>(block) + 4) >> 3)
  store<i16>(block, 0)
  for (let y = 0; y < 4; y++) addFour(to + <usize>(y * stride), residual)
}

function sumColumns(): void {
  const a = i32x4.add(row0, row3)
  const b = i32x4.add(row1, row2)
  const c = i32x4.sub(row1, row2)
  const d = i32x4.sub(row0, row3)
  row0 = i32x4.add(a, b)
  row1 = i32x4.add(c, d)
  row2 = i32x4.sub(a, b)
  row3 = i32x4.sub(d, c)
}

/** Spreads the block of Y2 over the DC of 16 blocks of 32 bytes each. */
export function spreadDc(block: usize, to: usize): void {
  loadRows(block)
  sumColumns()
  transpose()
  sumColumns()
  transpose()
  for (let y: usize = 0; y < 4; y++) {
    const values = round3(y == 0 ? row0 : y == 1 ? row1 : y == 2 ? row2 : row3, 3)
    const at = to + (y << 7)
    store<i16>(at, <i16>i32x4.extract_lane(values, 0))
    store<i16>(at, <i16>i32x4.extract_lane(values, 1), 32)
    store<i16>(at, <i16>i32x4.extract_lane(values, 2), 64)
    store<i16>(at, <i16>i32x4.extract_lane(values, 3), 96)
  }
}
