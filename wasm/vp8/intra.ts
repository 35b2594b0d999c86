/** Prediction from the same picture (12). What lies around it was written before, so that edges need no tests but for DC. */
import {
  blockDc, blockHd, blockHe, blockHu, blockLd, blockRd, blockTm, blockVe, blockVl, blockVr, modeDc, modeH, modeV,
} from './tables'

function sumAbove(at: usize, stride: i32, size: i32): i32 {
  let sum = 0
  for (let x = 0; x < size; x++) sum += load<u8>(at - stride + x)
  return sum
}

function sumLeft(at: usize, stride: i32, size: i32): i32 {
  let sum = 0
  for (let y = 0; y < size; y++) sum += load<u8>(at + <usize>(y * stride) - 1)
  return sum
}

/** Mean of the pixels that the picture has (12.2). */
function meanAround(at: usize, stride: i32, size: i32, hasAbove: bool, hasLeft: bool): i32 {
  if (!hasAbove && !hasLeft) return 128
  let count = 0
  let sum = 0
  if (hasAbove) {
    sum += sumAbove(at, stride, size)
    count += size
  }
  if (hasLeft) {
    sum += sumLeft(at, stride, size)
    count += size
  }
  return (sum + (count >> 1)) / count
}

/** Predicts a macroblock of a plane, with 16 or 8 columns. */
export function predictPlane(at: usize, stride: i32, size: i32, mode: i32, hasAbove: bool, hasLeft: bool): void {
  const above = at - stride
  const low = v128.load8x8_u(above)
  const high = v128.load8x8_u(above + 8)
  const corner = <i32>load<u8>(above - 1)
  const upper = v128.load(above)
  const mean = mode == modeDc ? i8x16.splat(<u8>meanAround(at, stride, size, hasAbove, hasLeft)) : upper
  for (let y = 0; y < size; y++) {
    const left = <i32>load<u8>(at - 1)
    let row = mean
    if (mode == modeH) row = i8x16.splat(<u8>left)
    else if (mode != modeDc && mode != modeV) {
      const step = i16x8.splat(<i16>(left - corner))
      row = i8x16.narrow_i16x8_u(i16x8.add(low, step), i16x8.add(high, step))
    }
    if (size == 16) v128.store(at, row)
    else v128.store64_lane(at, row, 0)
    at += stride
  }
}

/** Pixels around a block: left from below, corner, above from the left, the last one twice. */
const around = memory.data(32, 16)
/** Means of two and of three of them, each at the first one; both in turn. */
const twos = memory.data(32, 16)
const threes = memory.data(32, 16)
const both = memory.data(16, 16)
const upwards = memory.data(16, 16)

function meanNeighbours(): void {
  const first = v128.load(around)
  const second = v128.load(around + 1)
  const third = v128.load(around + 2)
  const pairs = i8x16.avgr_u(first, second)
  const outer = i8x16.sub(i8x16.avgr_u(first, third), v128.and(v128.xor(first, third), i8x16.splat(1)))
  const triples = i8x16.avgr_u(outer, second)
  v128.store(twos, pairs)
  v128.store(threes, triples)
  v128.store(both, v128.shuffle<i8>(pairs, triples, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23))
}

@inline
function putRows(at: usize, stride: i32, row0: u32, row1: u32, row2: u32, row3: u32): void {
  store<u32>(at, row0)
  store<u32>(at + stride, row1)
  store<u32>(at + 2 * stride, row2)
  store<u32>(at + 3 * stride, row3)
}

@inline
function repeat(value: u32): u32 {
  return value * 0x01010101
}

@inline
function four(at: usize): u32 {
  return load<u32>(at)
}

/** Three pixels and one before or behind them. */
@inline
function after(first: usize, rest: usize): u32 {
  return <u32>load<u8>(first) | (load<u32>(rest) << 8)
}

@inline
function ahead(rest: usize, last: usize): u32 {
  return (load<u32>(rest) & 0xffffff) | (<u32>load<u8>(last) << 24)
}

/** The last of the means to the left: its lowest pixel counts twice. */
@inline
function lowest(): u32 {
  return (<u32>load<u8>(around, 1) + 3 * <u32>load<u8>(around) + 2) >> 2
}

function predictTm(at: usize, stride: i32): void {
  const upper = i16x8.extend_low_i8x16_u(v128.load32_zero(around + 5))
  for (let y: usize = 0; y < 4; y++) {
    const step = i16x8.splat(<i16>load<u8>(around + 3 - y) - <i16>load<u8>(around, 4))
    const row = i16x8.add(upper, step)
    v128.store32_lane(at, i8x16.narrow_i16x8_u(row, row), 0)
    at += stride
  }
}

function predictDc(at: usize, stride: i32): void {
  let sum: u32 = 4
  for (let i: usize = 0; i < 4; i++) sum += <u32>load<u8>(around + i) + <u32>load<u8>(around + 5 + i)
  const row = repeat(sum >> 3)
  putRows(at, stride, row, row, row, row)
}

function predictHu(at: usize, stride: i32): void {
  const last = repeat(load<u8>(around))
  store<u8>(upwards, load<u8>(twos, 2))
  store<u8>(upwards, load<u8>(threes, 1), 1)
  store<u8>(upwards, load<u8>(twos, 1), 2)
  store<u8>(upwards, load<u8>(threes), 3)
  store<u8>(upwards, load<u8>(twos), 4)
  store<u8>(upwards, <u8>lowest(), 5)
  store<u32>(upwards, last, 6)
  putRows(at, stride, four(upwards), four(upwards + 2), four(upwards + 4), last)
}

/** Predicts a block of 4 x 4 pixels (12.3). @param aboveRight where its four pixels above to the right are */
export function predictBlock(at: usize, stride: i32, mode: i32, aboveRight: usize): void {
  for (let y = 0; y < 4; y++) store<u8>(around + <usize>(3 - y), load<u8>(at + <usize>(y * stride) - 1))
  store<u8>(around, load<u8>(at - stride - 1), 4)
  store<u32>(around, load<u32>(at - stride), 5)
  store<u32>(around, load<u32>(aboveRight), 9)
  store<u8>(around, load<u8>(aboveRight, 3), 13)
  if (mode == blockDc) return predictDc(at, stride)
  if (mode == blockTm) return predictTm(at, stride)
  meanNeighbours()
  const t = threes
  const d = twos
  switch (mode) {
    case blockVe: return putRows(at, stride, four(t + 4), four(t + 4), four(t + 4), four(t + 4))
    case blockHe: return putRows(at, stride, repeat(load<u8>(t, 2)), repeat(load<u8>(t, 1)), repeat(load<u8>(t)), repeat(lowest()))
    case blockLd: return putRows(at, stride, four(t + 5), four(t + 6), four(t + 7), four(t + 8))
    case blockRd: return putRows(at, stride, four(t + 3), four(t + 2), four(t + 1), four(t))
    case blockVr: return putRows(at, stride, four(d + 4), four(t + 3), after(t + 2, d + 4), after(t + 1, t + 3))
    case blockVl: return putRows(at, stride, four(d + 5), four(t + 5), ahead(d + 6, t + 9), ahead(t + 6, t + 10))
    case blockHd: return putRows(at, stride, after(d + 3, t + 3), four(both + 4), four(both + 2), four(both))
    case blockHu: return predictHu(at, stride)
  }
}
