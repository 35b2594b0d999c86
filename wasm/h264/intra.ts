/** Prediction from neighbouring pixels (8.3). */

/**
 * Neighbours of a block of n x n in one line: the left column upwards, the corner, the row above with its continuation. The
 * corner is at `corner`.
 */
const line = memory.data(64, 16)
const corner = line + 16
/** Means of three and of two neighbours around, and from, each place of the line. */
const three = memory.data(64, 16)
const two = memory.data(64, 16)
const threeAt = three + 16
const twoAt = two + 16
const sequence = memory.data(48, 16)

/** (a + b) >> 1 */
@inline
function meanDown(a: v128, b: v128): v128 {
  return i8x16.sub(i8x16.avgr_u(a, b), v128.and(v128.xor(a, b), i8x16.splat(1)))
}

@inline
function filter3(at: usize): v128 {
  return i8x16.avgr_u(v128.load(at), meanDown(v128.load(at - 1), v128.load(at + 1)))
}

/** Fills `three` and `two`. */
@inline
function filterLine(): void {
  v128.store(threeAt - 8, filter3(corner - 8))
  v128.store(threeAt + 8, filter3(corner + 8))
  v128.store(twoAt - 8, i8x16.avgr_u(v128.load(corner - 8), v128.load(corner - 7)))
  v128.store(twoAt + 8, i8x16.avgr_u(v128.load(corner + 8), v128.load(corner + 9)))
}

@inline
function row(size: i32, to: usize, from: usize): void {
  if (size == 4) store<u32>(to, load<u32>(from))
  else store<u64>(to, load<u64>(from))
}

@inline
function fill(size: i32, to: usize, stride: i32, value: i32): void {
  for (let y = 0; y < size; y++) {
    if (size == 4) store<u32>(to, <u32>value * 0x01010101)
    else store<u64>(to, <u64>value * 0x0101010101010101)
    to += stride
  }
}

function sum(from: usize, count: i32): i32 {
  let total = 0
  for (let i = 0; i < count; i++) total += <i32>load<u8>(from + i)
  return total
}

/** Predicts from the line. `hasLeft` and `hasTop` matter for DC alone. */
@inline
function predictFromLine(size: i32, mode: i32, to: usize, stride: i32, hasLeft: bool, hasTop: bool): void {
  const n = <usize>size
  if (mode == 0) {
    for (let y = 0; y < size; y++) {
      row(size, to, corner + 1)
      to += stride
    }
    return
  }
  if (mode == 1) {
    for (let y = 0; y < size; y++) {
      const value = <i32>load<u8>(corner - 1 - y)
      if (size == 4) store<u32>(to, <u32>value * 0x01010101)
      else store<u64>(to, <u64>value * 0x0101010101010101)
      to += stride
    }
    return
  }
  if (mode == 2) {
    let value = 128
    const shift = size == 4 ? 2 : 3
    if (hasLeft && hasTop) value = (sum(corner - n, size) + sum(corner + 1, size) + size) >> (shift + 1)
    else if (hasLeft) value = (sum(corner - n, size) + (size >> 1)) >> shift
    else if (hasTop) value = (sum(corner + 1, size) + (size >> 1)) >> shift
    return fill(size, to, stride, value)
  }
  filterLine()
  if (mode == 3) {
    for (let y: usize = 0; y < n; y++) {
      row(size, to, threeAt + 2 + y)
      to += stride
    }
  } else if (mode == 4) {
    for (let y: usize = 0; y < n; y++) {
      row(size, to, threeAt - y)
      to += stride
    }
  } else if (mode == 5) {
    row(size, to, twoAt)
    row(size, to + stride, threeAt)
    for (let y: usize = 2; y < n; y++) {
      const at = to + y * stride
      const before = at - 2 * stride
      const first = <u64>load<u8>(threeAt + 1 - y)
      if (size == 4) store<u32>(at, (load<u32>(before) << 8) | <u32>first)
      else store<u64>(at, (load<u64>(before) << 8) | first)
    }
  } else if (mode == 6) {
    for (let i: usize = 0; i < n; i++) {
      store<u8>(sequence + 2 * i, load<u8>(twoAt - n + i))
      store<u8>(sequence + 2 * i + 1, load<u8>(threeAt - n + 1 + i))
    }
    row(size, sequence + 2 * n, threeAt + 1)
    for (let y: usize = 0; y < n; y++) {
      row(size, to, sequence + 2 * (n - 1 - y))
      to += stride
    }
  } else if (mode == 7) {
    for (let y: usize = 0; y < n; y++) {
      row(size, to, (y & 1) == 0 ? twoAt + 1 + (y >> 1) : threeAt + 2 + (y >> 1))
      to += stride
    }
  } else {
    for (let i: usize = 0; i < n - 1; i++) {
      store<u8>(sequence + 2 * i, load<u8>(twoAt - 2 - i))
      store<u8>(sequence + 2 * i + 1, load<u8>(threeAt - 2 - i))
    }
    v128.store(sequence + 2 * n - 2, v128.load8_splat(corner - n))
    for (let y: usize = 0; y < n; y++) {
      row(size, to, sequence + 2 * y)
      to += stride
    }
  }
}

/** Whether a mode reads pixels that are missing. */
@inline
function isImpossible(mode: i32, hasLeft: bool, hasTop: bool, hasCorner: bool): bool {
  if (mode == 0 || mode == 3 || mode == 7) return !hasTop
  if (mode == 1 || mode == 8) return !hasLeft
  if (mode == 2) return false
  return !(hasLeft && hasTop && hasCorner)
}

/** Predicts a block of 4 x 4. @returns false if its mode is impossible */
export function predict4(mode: i32, to: usize, stride: i32, hasLeft: bool, hasTop: bool, hasCorner: bool, hasRight: bool): bool {
  if (isImpossible(mode, hasLeft, hasTop, hasCorner)) return false
  if (hasTop) {
    store<u32>(corner + 1, load<u32>(to - stride))
    const more = hasRight ? load<u32>(to - stride + 4) : <u32>load<u8>(to - stride + 3) * 0x01010101
    store<u32>(corner + 5, more)
    store<u8>(corner + 9, <u8>(more >> 24))
  }
  if (hasLeft) {
    for (let y = 0; y < 4; y++) store<u8>(corner - 1 - y, load<u8>(to + y * stride - 1))
    store<u8>(corner - 5, load<u8>(corner - 4))
  }
  if (hasCorner) store<u8>(corner, load<u8>(to - stride - 1))
  predictFromLine(4, mode, to, stride, hasLeft, hasTop)
  return true
}

/** Predicts a block of 8 x 8, from neighbours that are filtered before (8.3.2.2.1). */
export function predict8(mode: i32, to: usize, stride: i32, hasLeft: bool, hasTop: bool, hasCorner: bool, hasRight: bool): bool {
  if (isImpossible(mode, hasLeft, hasTop, hasCorner)) return false
  let top0 = 0
  let left0 = 0
  if (hasTop) {
    store<u64>(corner + 1, load<u64>(to - stride))
    const more = hasRight ? load<u64>(to - stride + 8) : <u64>load<u8>(to - stride + 7) * 0x0101010101010101
    store<u64>(corner + 9, more)
    store<u8>(corner + 17, <u8>(more >> 56))
    top0 = load<u8>(corner + 1)
  }
  if (hasLeft) {
    for (let y = 0; y < 8; y++) store<u8>(corner - 1 - y, load<u8>(to + y * stride - 1))
    store<u8>(corner - 9, load<u8>(corner - 8))
    left0 = load<u8>(corner - 1)
  }
  if (hasCorner) {
    const value = load<u8>(to - stride - 1)
    store<u8>(corner, value)
    if (!hasTop) store<u8>(corner + 1, value)
    if (!hasLeft) store<u8>(corner - 1, value)
  } else store<u8>(corner, <u8>(hasTop ? top0 : left0))
  const before = filter3(corner - 8)
  const after = filter3(corner + 8)
  const last = filter3(corner + 16)
  const fixed = hasLeft && hasTop && !hasCorner ? (3 * left0 + <i32>load<u8>(corner - 2) + 2) >> 2 : -1
  v128.store(corner - 8, before)
  v128.store(corner + 8, after)
  store<u8>(corner + 16, <u8>i8x16.extract_lane_u(last, 0))
  if (fixed >= 0) store<u8>(corner - 1, <u8>fixed)
  store<u8>(corner + 17, load<u8>(corner + 16))
  store<u8>(corner - 9, load<u8>(corner - 8))
  predictFromLine(8, mode, to, stride, hasLeft, hasTop)
  return true
}

function fill16(to: usize, stride: i32, value: i32): void {
  const pixels = i8x16.splat(<u8>value)
  for (let y = 0; y < 16; y++) {
    v128.store(to, pixels)
    to += stride
  }
}

function sumColumn(at: usize, stride: i32, count: i32): i32 {
  let total = 0
  for (let y = 0; y < count; y++) {
    total += <i32>load<u8>(at)
    at += stride
  }
  return total
}

const ramp = i16x8(0, 1, 2, 3, 4, 5, 6, 7)

/** Predicts a macroblock's luma. */
export function predict16(mode: i32, to: usize, stride: i32, hasLeft: bool, hasTop: bool, hasCorner: bool): bool {
  const above = to - stride
  if (mode == 0) {
    if (!hasTop) return false
    const pixels = v128.load(above)
    for (let y = 0; y < 16; y++) {
      v128.store(to, pixels)
      to += stride
    }
  } else if (mode == 1) {
    if (!hasLeft) return false
    for (let y = 0; y < 16; y++) {
      v128.store(to, v128.load8_splat(to - 1))
      to += stride
    }
  } else if (mode == 2) {
    let value = 128
    if (hasLeft && hasTop) value = (sum(above, 16) + sumColumn(to - 1, stride, 16) + 16) >> 5
    else if (hasLeft) value = (sumColumn(to - 1, stride, 16) + 8) >> 4
    else if (hasTop) value = (sum(above, 16) + 8) >> 4
    fill16(to, stride, value)
  } else {
    if (!hasLeft || !hasTop || !hasCorner) return false
    let horizontal = 0
    let vertical = 0
    for (let i = 1; i <= 8; i++) {
      horizontal += i * (<i32>load<u8>(above + 7 + i) - <i32>load<u8>(above + 7 - i))
      vertical += i * (<i32>load<u8>(to - 1 + (7 + i) * stride) - <i32>load<u8>(to - 1 + (7 - i) * stride))
    }
    const b = (5 * horizontal + 32) >> 6
    const c = (5 * vertical + 32) >> 6
    const a = 16 * (<i32>load<u8>(to - 1 + 15 * stride) + <i32>load<u8>(above + 15))
    let left = i16x8.add(i16x8.splat(<i16>(a - 7 * b - 7 * c + 16)), i16x8.mul(ramp, i16x8.splat(<i16>b)))
    let right = i16x8.add(left, i16x8.splat(<i16>(8 * b)))
    const down = i16x8.splat(<i16>c)
    for (let y = 0; y < 16; y++) {
      v128.store(to, i8x16.narrow_i16x8_u(i16x8.shr_s(left, 5), i16x8.shr_s(right, 5)))
      left = i16x8.add(left, down)
      right = i16x8.add(right, down)
      to += stride
    }
  }
  return true
}

function fillQuarter(to: usize, stride: i32, value: i32): void {
  for (let y = 0; y < 4; y++) {
    store<u32>(to, <u32>value * 0x01010101)
    to += stride
  }
}

/** Predicts a macroblock's plane of chroma. */
export function predictChroma(mode: i32, to: usize, stride: i32, hasLeft: bool, hasTop: bool, hasCorner: bool): bool {
  const above = to - stride
  if (mode == 0) {
    for (let quarter = 0; quarter < 4; quarter++) {
      const x = (quarter & 1) << 2
      const y = (quarter >> 1) << 2
      // Quarters beside each other prefer different sides (8.3.4).
      const usesTop = hasTop && !(hasLeft && quarter == 2)
      const usesLeft = hasLeft && !(hasTop && quarter == 1)
      const top = usesTop ? sum(above + x, 4) : 0
      const left = usesLeft ? sumColumn(to + y * stride - 1, stride, 4) : 0
      let value = 128
      if (usesTop && usesLeft) value = (top + left + 4) >> 3
      else if (usesTop || usesLeft) value = (top + left + 2) >> 2
      fillQuarter(to + x + y * stride, stride, value)
    }
  } else if (mode == 1) {
    if (!hasLeft) return false
    for (let y = 0; y < 8; y++) {
      store<u64>(to, <u64>load<u8>(to - 1) * 0x0101010101010101)
      to += stride
    }
  } else if (mode == 2) {
    if (!hasTop) return false
    const pixels = load<u64>(above)
    for (let y = 0; y < 8; y++) {
      store<u64>(to, pixels)
      to += stride
    }
  } else {
    if (!hasLeft || !hasTop || !hasCorner) return false
    let horizontal = 0
    let vertical = 0
    for (let i = 1; i <= 4; i++) {
      horizontal += i * (<i32>load<u8>(above + 3 + i) - <i32>load<u8>(above + 3 - i))
      vertical += i * (<i32>load<u8>(to - 1 + (3 + i) * stride) - <i32>load<u8>(to - 1 + (3 - i) * stride))
    }
    const b = (34 * horizontal + 32) >> 6
    const c = (34 * vertical + 32) >> 6
    const a = 16 * (<i32>load<u8>(to - 1 + 7 * stride) + <i32>load<u8>(above + 7))
    let values = i16x8.add(i16x8.splat(<i16>(a - 3 * b - 3 * c + 16)), i16x8.mul(ramp, i16x8.splat(<i16>b)))
    const down = i16x8.splat(<i16>c)
    for (let y = 0; y < 8; y++) {
      const pixels = i16x8.shr_s(values, 5)
      v128.store64_lane(to, i8x16.narrow_i16x8_u(pixels, pixels), 0)
      values = i16x8.add(values, down)
      to += stride
    }
  }
  return true
}
