/** The arithmetic decoder (9.3.1.2, 9.3.3.2), and blocks of coefficients (9.3.3.1.3). */
import { alignBits, bytesLeft } from './bits'
import { contexts0, contexts399 } from './contexts'

/** One byte per context: twice its state, plus the more probable symbol. Those from 399 on follow. */
export const states: usize = memory.data(512, 16)

/** Where contexts from 399 on begin. */
const after = 277 - 399

/** Range of the less probable symbol (Table 9-44). */
const rangeTable = memory.data<u8>([
  128, 176, 208, 240, 128, 167, 197, 227, 128, 158, 187, 216, 123, 150, 178, 205, 116, 142, 169, 195, 111, 135, 160, 185,
  105, 128, 152, 175, 100, 122, 144, 166, 95, 116, 137, 158, 90, 110, 130, 150, 85, 104, 123, 142, 81, 99, 117, 135,
  77, 94, 111, 128, 73, 89, 105, 122, 69, 85, 100, 116, 66, 80, 95, 110, 62, 76, 90, 104, 59, 72, 86, 99,
  56, 69, 81, 94, 53, 65, 77, 89, 51, 62, 73, 85, 48, 59, 69, 80, 46, 56, 66, 76, 43, 53, 63, 72,
  41, 50, 59, 69, 39, 48, 56, 65, 37, 45, 54, 62, 35, 43, 51, 59, 33, 41, 48, 56, 32, 39, 46, 53,
  30, 37, 43, 50, 29, 35, 41, 48, 27, 33, 39, 45, 26, 31, 37, 43, 24, 30, 35, 41, 23, 28, 33, 39,
  22, 27, 32, 37, 21, 26, 30, 35, 20, 24, 29, 33, 19, 23, 27, 31, 18, 22, 26, 30, 17, 21, 25, 28,
  16, 20, 23, 27, 15, 19, 22, 25, 14, 18, 21, 24, 14, 17, 20, 23, 13, 16, 19, 22, 12, 15, 18, 21,
  12, 14, 17, 20, 11, 14, 16, 19, 11, 13, 15, 18, 10, 12, 15, 17, 10, 12, 14, 16, 9, 11, 13, 15,
  9, 11, 12, 14, 8, 10, 12, 14, 8, 9, 11, 13, 7, 9, 11, 12, 7, 9, 10, 12, 7, 8, 10, 11,
  6, 8, 9, 11, 6, 7, 9, 10, 6, 7, 8, 9, 2, 2, 2, 2,
])
/** The state after the less probable symbol (Table 9-45). */
const lessTable = memory.data<u8>([
  0, 0, 1, 2, 2, 4, 4, 5, 6, 7, 8, 9, 9, 11, 11, 12, 13, 13, 15, 15, 16, 16, 18, 18, 19, 19, 21, 21, 22, 22, 23, 24,
  24, 25, 26, 26, 27, 27, 28, 29, 29, 30, 30, 30, 31, 32, 32, 33, 33, 33, 34, 34, 35, 35, 35, 36, 36, 36, 37, 37, 37, 38, 38, 63,
])

/** By context byte: four ranges, one byte each, for bits 6 and 7 of the range. */
const ranges = memory.data(512, 16)
/** The next context byte: by the byte after the less probable symbol, by its complement after the other one. */
const nexts = memory.data(256, 16)
const nextAt = nexts + 128

/** Prepares the tables. */
export function prepareCabac(): void {
  for (let state: usize = 0; state < 64; state++)
    for (let symbol: usize = 0; symbol < 2; symbol++) {
      const byte = (state << 1) | symbol
      store<u32>(ranges + (byte << 2), load<u32>(rangeTable + (state << 2)))
      store<u8>(nextAt + ~byte, <u8>((min<usize>(state + (state < 62 ? 1 : 0), 63) << 1) | symbol))
      const flipped = state == 0 ? symbol ^ 1 : symbol
      store<u8>(nextAt + byte, <u8>((<usize>load<u8>(lessTable + state) << 1) | flipped))
    }
}

/** Prepares the contexts of a slice (9.3.1.1). @param set 0 for I slices, else 1 more than `cabac_init_idc` */
export function startContexts(set: i32, qp: i32): void {
  for (let i = 0; i < 277 + 37; i++) {
    const at = (i < 277 ? contexts0 + <usize>(i << 3) : contexts399 + <usize>((i - 277) << 3)) + <usize>(set << 1)
    const before = min(126, max(1, ((<i32>load<i8>(at) * qp) >> 4) + <i32>load<i8>(at, 1)))
    store<u8>(states + i, <u8>(before <= 63 ? (63 - before) << 1 : ((before - 64) << 1) | 1))
  }
}

/** The range; the offset with `bits` bits that were read ahead. */
let range: u32 = 0
let value: u64 = 0
let bits: i32 = 0
let next: usize = 0
let end: usize = 0

/** Starts at the next whole byte. */
export function startCabac(): void {
  next = alignBits()
  end = next + <usize>max(0, bytesLeft())
  startEngine()
}

function startEngine(): void {
  range = 510
  value = (<u64>bswap<u32>(load<u32>(next)) << 8) | <u64>load<u8>(next, 4)
  next += 5
  bits = 31
}

/** Whether clearly more was read than there is. */
@inline
export function isCabacShort(): bool {
  return next > end + 8
}

/** Decodes a decision with the context at an address. */
export function decodeAt(at: usize): i32 {
  let state = <i32>load<u8>(at)
  const less = (load<u32>(ranges + <usize>(state << 2)) >> ((range >> 3) & 24)) & 255
  const more = range - less
  const scaled = <u64>more << bits
  if (value < scaled) {
    const shift = <i32>(more >> 8) ^ 1
    range = more << shift
    bits -= shift
    state = ~state
  } else {
    value -= scaled
    const shift = <i32>clz<u32>(less) - 23
    range = less << shift
    bits -= shift
  }
  store<u8>(at, load<u8>(nextAt + <usize>state))
  if (bits < 0) {
    value = (value << 32) | <u64>bswap<u32>(load<u32>(next))
    next += 4
    bits += 32
    if (next > end + 64) next = end + 64
  }
  return ~state & 1
}

/** Decodes a decision with a context below 277. */
@inline
export function decode(context: i32): i32 {
  return decodeAt(states + <usize>context)
}

/** Decodes one with a context from 399 on. */
@inline
export function decode399(context: i32): i32 {
  return decodeAt(states + <usize>(context + after))
}

/** Decodes a decision whose symbols are equally probable. */
export function decodeEqual(): i32 {
  if (--bits < 0) {
    value = (value << 32) | <u64>bswap<u32>(load<u32>(next))
    next += 4
    bits += 32
    if (next > end + 64) next = end + 64
  }
  const scaled = <u64>range << bits
  if (value < scaled) return 0
  value -= scaled
  return 1
}

/** Decodes whether the slice, or the coded part of a macroblock, ends. */
export function decodeEnd(): i32 {
  range -= 2
  const scaled = <u64>range << bits
  if (value >= scaled) return 1
  if (range < 256) {
    range <<= 1
    if (--bits < 0) {
      value = (value << 32) | <u64>bswap<u32>(load<u32>(next))
      next += 4
      bits += 32
    }
  }
  return 0
}

/** Returns where uncompressed samples begin, which are `bytes` long, and continues behind them; 0 if they are cut off. */
export function takePcm(bytes: usize): usize {
  const from = next - <usize>(bits >> 3)
  if (from + bytes > end) return 0
  next = from + bytes
  startEngine()
  return from
}

/** Contexts by category of block (Table 9-40): of positions, of last positions, of levels. */
const significantAt = memory.data<u16>([105, 120, 134, 149, 152, 280])
const lastAt = memory.data<u16>([166, 181, 195, 210, 213, 295])
const levelAt = memory.data<u16>([227, 237, 247, 257, 266, 304])

/** Contexts of positions in blocks of 8 x 8 (Table 9-43). */
const significant8 = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 5, 4, 4, 3, 3, 4, 4, 4, 5, 5, 4, 4, 4, 4, 3, 3, 6, 7, 7, 7, 8, 9, 10, 9, 8, 7,
  7, 6, 11, 12, 13, 11, 6, 7, 8, 9, 14, 10, 9, 8, 6, 11, 12, 13, 11, 6, 9, 14, 10, 9, 11, 12, 13, 11, 14, 10, 12, 0,
])
const last8 = memory.data<u8>([
  0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
  3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8,
])
/** Of blocks of 4 x 4: as they come. */
const inOrder = memory.data<u8>([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])

const positions = memory.data(64, 16)

/**
 * Reads a block whose flag says that it has coefficients.
 * @param category as in Table 9-42
 * @param count of coefficients that it may have
 * @param scan their places
 * @param scale `int32 [count]`; 0 to store them as they are
 * @param shift of their products with the scale, which are rounded
 * @returns how many it has
 */
export function readCabacBlock(category: i32, to: usize, count: i32, scan: usize, scale: usize, shift: i32): i32 {
  const significant = states + <usize>load<u16>(significantAt + <usize>(category << 1))
  const last = states + <usize>load<u16>(lastAt + <usize>(category << 1))
  const level = states + <usize>load<u16>(levelAt + <usize>(category << 1))
  const significantMap = category == 5 ? significant8 : inOrder
  const lastMap = category == 5 ? last8 : inOrder
  // Decisions are spelled out: state in locals is a third faster than in globals.
  let r = range
  let v = value
  let b = bits
  let n = next
  let found = 0
  let k = 0
  const final = count - 1
  while (k < final) {
    let at = significant + <usize>load<u8>(significantMap + k)
    let state = <i32>load<u8>(at)
    let less = (load<u32>(ranges + <usize>(state << 2)) >> ((r >> 3) & 24)) & 255
    let more = r - less
    let scaled = <u64>more << b
    if (v < scaled) {
      const shift = <i32>(more >> 8) ^ 1
      r = more << shift
      b -= shift
      state = ~state
    } else {
      v -= scaled
      const shift = <i32>clz<u32>(less) - 23
      r = less << shift
      b -= shift
    }
    store<u8>(at, load<u8>(nextAt + <usize>state))
    if (b < 0) {
      v = (v << 32) | <u64>bswap<u32>(load<u32>(n))
      n += 4
      b += 32
    }
    if (!(state & 1)) {
      store<u8>(positions + found, <u8>k)
      found++
      at = last + <usize>load<u8>(lastMap + k)
      state = <i32>load<u8>(at)
      less = (load<u32>(ranges + <usize>(state << 2)) >> ((r >> 3) & 24)) & 255
      more = r - less
      scaled = <u64>more << b
      if (v < scaled) {
        const shift = <i32>(more >> 8) ^ 1
        r = more << shift
        b -= shift
        state = ~state
      } else {
        v -= scaled
        const shift = <i32>clz<u32>(less) - 23
        r = less << shift
        b -= shift
      }
      store<u8>(at, load<u8>(nextAt + <usize>state))
      if (b < 0) {
        v = (v << 32) | <u64>bswap<u32>(load<u32>(n))
        n += 4
        b += 32
      }
      if (!(state & 1)) break
    }
    k++
  }
  if (k == final) {
    store<u8>(positions + found, <u8>k)
    found++
  }
  let ones = 1
  let larger = 0
  const largerMax = category == 3 ? 3 : 4
  for (let i = found - 1; i >= 0; i--) {
    let at = level + <usize>(larger != 0 ? 0 : min(4, ones))
    let state = <i32>load<u8>(at)
    let less = (load<u32>(ranges + <usize>(state << 2)) >> ((r >> 3) & 24)) & 255
    let more = r - less
    let scaled = <u64>more << b
    if (v < scaled) {
      const shift = <i32>(more >> 8) ^ 1
      r = more << shift
      b -= shift
      state = ~state
    } else {
      v -= scaled
      const shift = <i32>clz<u32>(less) - 23
      r = less << shift
      b -= shift
    }
    store<u8>(at, load<u8>(nextAt + <usize>state))
    if (b < 0) {
      v = (v << 32) | <u64>bswap<u32>(load<u32>(n))
      n += 4
      b += 32
    }
    let amount = 1
    if (!(state & 1)) {
      at = level + <usize>(5 + min(largerMax, larger))
      larger++
      amount = 2
      while (amount < 15) {
        state = <i32>load<u8>(at)
        less = (load<u32>(ranges + <usize>(state << 2)) >> ((r >> 3) & 24)) & 255
        more = r - less
        scaled = <u64>more << b
        if (v < scaled) {
          const shift = <i32>(more >> 8) ^ 1
          r = more << shift
          b -= shift
          state = ~state
        } else {
          v -= scaled
          const shift = <i32>clz<u32>(less) - 23
          r = less << shift
          b -= shift
        }
        store<u8>(at, load<u8>(nextAt + <usize>state))
        if (b < 0) {
          v = (v << 32) | <u64>bswap<u32>(load<u32>(n))
          n += 4
          b += 32
        }
        if (state & 1) break
        amount++
      }
      if (amount == 15) {
        range = r
        value = v
        bits = b
        next = min(n, end + 64)
        amount += readRest(0)
        r = range
        v = value
        b = bits
        n = next
      }
    } else ones++
    // The sign.
    if (--b < 0) {
      v = (v << 32) | <u64>bswap<u32>(load<u32>(n))
      n += 4
      b += 32
    }
    const half = <u64>r << b
    if (v >= half) {
      v -= half
      amount = -amount
    }
    const place = <i32>load<u8>(positions + i)
    if (scale != 0) amount = (amount * load<i32>(scale + <usize>(place << 2)) + ((1 << shift) >> 1)) >> shift
    store<i16>(to + (<usize>load<u8>(scan + place) << 1), <i16>amount)
  }
  range = r
  value = v
  bits = b
  next = min(n, end + 64)
  return found
}

/** Reads what exceeds the prefix: an Exp-Golomb code of order k (9.3.2.3). */
export function readRest(k: i32): i32 {
  let rest = 0
  while (decodeEqual()) {
    rest += 1 << k
    if (++k > 20) return rest
  }
  while (k-- > 0) rest += decodeEqual() << k
  return rest
}
