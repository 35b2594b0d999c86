/** Blocks of coefficients in variable-length codes (9.2). */
import { isShort, peekBits, readBit, readBits, skipBits } from './bits'

/** Lengths and codes of `coeff_token` (Table 9-5) for nC from 0, 2 and 4 on: `[3][trailing ones][coefficients]`. */
const tokenLengths = memory.data<u8>([
  1, 6, 8, 9, 10, 11, 13, 13, 13, 14, 14, 15, 15, 16, 16, 16, 16, 0, 2, 6, 8, 9, 10, 11, 13, 13, 14, 14, 15, 15, 15, 16, 16, 16,
  0, 0, 3, 7, 8, 9, 10, 11, 13, 13, 14, 14, 15, 15, 16, 16, 16, 0, 0, 0, 5, 6, 7, 8, 9, 10, 11, 13, 14, 14, 15, 15, 16, 16,
  2, 6, 6, 7, 8, 8, 9, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 0, 2, 5, 6, 6, 7, 8, 9, 11, 11, 12, 12, 13, 13, 14, 14, 14,
  0, 0, 3, 6, 6, 7, 8, 9, 11, 11, 12, 12, 13, 13, 13, 14, 14, 0, 0, 0, 4, 4, 5, 6, 6, 7, 9, 11, 11, 12, 13, 13, 13, 14,
  4, 6, 6, 6, 7, 7, 7, 7, 8, 8, 9, 9, 9, 10, 10, 10, 10, 0, 4, 5, 5, 5, 5, 6, 6, 7, 8, 8, 9, 9, 9, 10, 10, 10,
  0, 0, 4, 5, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 10, 0, 0, 0, 4, 4, 4, 4, 4, 5, 6, 7, 8, 8, 9, 10, 10, 10,
])
const tokenCodes = memory.data<u8>([
  1, 5, 7, 7, 7, 7, 15, 11, 8, 15, 11, 15, 11, 15, 11, 7, 4, 0, 1, 4, 6, 6, 6, 6, 14, 10, 14, 10, 14, 10, 1, 14, 10, 6,
  0, 0, 1, 5, 5, 5, 5, 5, 13, 9, 13, 9, 13, 9, 13, 9, 5, 0, 0, 0, 3, 3, 4, 4, 4, 4, 4, 12, 12, 8, 12, 8, 12, 8,
  3, 11, 7, 7, 7, 4, 7, 15, 11, 15, 11, 8, 15, 11, 7, 9, 7, 0, 2, 7, 10, 6, 6, 6, 6, 14, 10, 14, 10, 14, 10, 11, 8, 6,
  0, 0, 3, 9, 5, 5, 5, 5, 13, 9, 13, 9, 13, 9, 6, 10, 5, 0, 0, 0, 5, 4, 6, 8, 4, 4, 4, 12, 8, 12, 12, 8, 1, 4,
  15, 15, 11, 8, 15, 11, 9, 8, 15, 11, 15, 11, 8, 13, 9, 5, 1, 0, 14, 15, 12, 10, 8, 14, 10, 14, 14, 10, 14, 10, 7, 12, 8, 4,
  0, 0, 13, 14, 11, 9, 13, 9, 13, 10, 13, 9, 13, 9, 11, 7, 3, 0, 0, 0, 12, 11, 10, 9, 8, 13, 12, 12, 12, 8, 12, 10, 6, 2,
])
/** The same of chroma DC: `[trailing ones][5]`. */
const chromaTokenLengths = memory.data<u8>([2, 6, 6, 6, 6, 0, 1, 6, 7, 8, 0, 0, 3, 7, 8, 0, 0, 0, 6, 7])
const chromaTokenCodes = memory.data<u8>([1, 7, 4, 3, 2, 0, 1, 6, 3, 3, 0, 0, 1, 2, 2, 0, 0, 0, 5, 0])

/** Lengths and codes of `total_zeros` (Tables 9-7 and 9-8), by coefficients from 1 on: 16, 15, … 2 of them. */
const zeroLengths = memory.data<u8>([
  1, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 9, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 6, 6,
  4, 3, 3, 3, 4, 4, 3, 3, 4, 5, 5, 6, 5, 6, 5, 3, 4, 4, 3, 3, 3, 4, 3, 4, 5, 5, 5, 4, 4, 4, 3, 3, 3, 3, 3, 4, 5, 4, 5,
  6, 5, 3, 3, 3, 3, 3, 3, 4, 3, 6, 6, 5, 3, 3, 3, 2, 3, 4, 3, 6, 6, 4, 5, 3, 2, 2, 3, 3, 6, 6, 6, 4, 2, 2, 3, 2, 5,
  5, 5, 3, 2, 2, 2, 4, 4, 4, 3, 3, 1, 3, 4, 4, 2, 1, 3, 3, 3, 1, 2, 2, 2, 1, 1, 1,
])
const zeroCodes = memory.data<u8>([
  1, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 1, 7, 6, 5, 4, 3, 5, 4, 3, 2, 3, 2, 3, 2, 1, 0,
  5, 7, 6, 5, 4, 3, 4, 3, 2, 3, 2, 1, 1, 0, 3, 7, 5, 4, 6, 5, 4, 3, 3, 2, 2, 1, 0, 5, 4, 3, 7, 6, 5, 4, 3, 2, 1, 1, 0,
  1, 1, 7, 6, 5, 4, 3, 2, 1, 1, 0, 1, 1, 5, 4, 3, 3, 2, 1, 1, 0, 1, 1, 1, 3, 3, 2, 2, 1, 0, 1, 0, 1, 3, 2, 1, 1, 1,
  1, 0, 1, 3, 2, 1, 1, 0, 1, 1, 2, 1, 3, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1,
])
const chromaZeroLengths = memory.data<u8>([1, 2, 3, 3, 1, 2, 2, 1, 1])
const chromaZeroCodes = memory.data<u8>([1, 1, 1, 0, 1, 1, 0, 1, 0])

/** Lengths and codes of `run_before` (Table 9-10), by zeros left from 1 on: 2, 3, … 7 and 15 of them. */
const runLengths = memory.data<u8>([
  1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 2, 2, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11,
])
const runCodes = memory.data<u8>([
  1, 0, 1, 1, 0, 3, 2, 1, 0, 3, 2, 1, 1, 0, 3, 2, 3, 2, 1, 0, 3, 0, 1, 3, 2, 5, 4, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1,
])

/** By the next bits: value * 16 + length; 0 for none. */
const tokenTables = memory.data(3 * 65536 * 2, 16)
const chromaTokens = memory.data(256 * 2, 16)
const zeroTables = memory.data(15 * 512, 16)
const chromaZeros = memory.data(3 * 8, 16)
/** uint16 for the last, whose codes have up to 11 bits. */
const runTables = memory.data(6 * 8, 16)
const longRuns = memory.data(2048, 16)

function fill16(table: usize, bits: i32, length: i32, code: i32, value: i32): void {
  const from = code << (bits - length)
  for (let i = 0; i < 1 << (bits - length); i++) store<u16>(table + <usize>((from + i) << 1), <u16>((value << 5) | length))
}

function fill8(table: usize, bits: i32, length: i32, code: i32, value: i32): void {
  const from = code << (bits - length)
  for (let i = 0; i < 1 << (bits - length); i++) store<u8>(table + <usize>(from + i), <u8>((value << 4) | length))
}

/** Prepares the tables. */
export function prepareCavlc(): void {
  for (let table = 0; table < 3; table++)
    for (let ones = 0; ones < 4; ones++)
      for (let total = 0; total < 17; total++) {
        const at = <usize>((table * 4 + ones) * 17 + total)
        const length = <i32>load<u8>(tokenLengths + at)
        if (length) fill16(tokenTables + <usize>(table << 17), 16, length, load<u8>(tokenCodes + at), (total << 2) | ones)
      }
  for (let ones = 0; ones < 4; ones++)
    for (let total = 0; total < 5; total++) {
      const at = <usize>(ones * 5 + total)
      const length = <i32>load<u8>(chromaTokenLengths + at)
      if (length) fill16(chromaTokens, 8, length, load<u8>(chromaTokenCodes + at), (total << 2) | ones)
    }
  let at: usize = 0
  for (let total = 0; total < 15; total++)
    for (let zeros = 0; zeros < 16 - total; zeros++, at++)
      fill8(zeroTables + <usize>(total << 9), 9, load<u8>(zeroLengths + at), load<u8>(zeroCodes + at), zeros)
  at = 0
  for (let total = 0; total < 3; total++)
    for (let zeros = 0; zeros < 4 - total; zeros++, at++)
      fill8(chromaZeros + <usize>(total << 3), 3, load<u8>(chromaZeroLengths + at), load<u8>(chromaZeroCodes + at), zeros)
  at = 0
  for (let left = 0; left < 6; left++)
    for (let run = 0; run < left + 2; run++, at++)
      fill8(runTables + <usize>(left << 3), 3, load<u8>(runLengths + at), load<u8>(runCodes + at), run)
  for (let run = 0; run < 15; run++, at++) fill8(longRuns, 11, load<u8>(runLengths + at), load<u8>(runCodes + at), run)
}

const levels = memory.data(16 * 4, 16)

/** Reads a level that is not a trailing one (9.2.2.1). @returns its code */
function readLevel(suffix: i32): i32 {
  const bits = peekBits()
  const prefix = <i32>clz<u32>(bits)
  if (prefix > 25) {
    skipBits(0x1000_0000)
    return 0
  }
  skipBits(prefix + 1)
  let code = min(15, prefix) << suffix
  let size = suffix
  if (prefix == 14 && suffix == 0) size = 4
  else if (prefix >= 15) size = prefix - 3
  if (size > 0) code += <i32>readBits(size)
  if (prefix >= 15 && suffix == 0) code += 15
  if (prefix >= 16) code += (1 << (prefix - 3)) - 4096
  return code
}

/**
 * Reads a block.
 * @param neighbours nC: the mean number of coefficients of the neighbours; -1 for chroma DC
 * @param count of coefficients that it may have
 * @param scan their places
 * @param scale `int32 [count]`; 0 to store them as they are
 * @param step between two of them in scan and scale: 4 in a quarter of a block of 8 x 8
 * @returns how many it has; -1 if it is damaged
 */
export function readCavlcBlock(neighbours: i32, to: usize, count: i32, scan: usize, scale: usize, shift: i32, step: i32): i32 {
  let bits = peekBits()
  let total: i32
  let ones: i32
  if (neighbours >= 8) {
    // Six bits: the trailing ones are in the last two.
    const code = <i32>(bits >> 26)
    skipBits(6)
    if (code == 3) return 0
    total = (code >> 2) + 1
    ones = code & 3
    if (ones > total) return -1
  } else {
    const entry = <i32>(
      neighbours < 0
        ? load<u16>(chromaTokens + <usize>((bits >> 24) << 1))
        : load<u16>(tokenTables + (neighbours < 2 ? 0 : neighbours < 4 ? 131072 : 262144) + <usize>((bits >> 16) << 1))
    )
    if (entry == 0) return -1
    skipBits(entry & 31)
    total = entry >> 7
    ones = (entry >> 5) & 3
    if (total == 0) return 0
  }
  if (total > count) return -1
  let suffix = total > 10 && ones < 3 ? 1 : 0
  for (let i = 0; i < ones; i++) store<i32>(levels + <usize>(i << 2), 1 - 2 * <i32>readBit())
  for (let i = ones; i < total; i++) {
    let code = readLevel(suffix)
    if (i == ones && ones < 3) code += 2
    const level = (code & 1) != 0 ? -((code + 1) >> 1) : (code + 2) >> 1
    store<i32>(levels + <usize>(i << 2), level)
    if (suffix == 0) suffix = 1
    if (suffix < 6 && abs(level) > 3 << (suffix - 1)) suffix++
  }
  let zeros = 0
  if (total < count) {
    bits = peekBits()
    const entry = <i32>(
      neighbours < 0
        ? load<u8>(chromaZeros + <usize>((total - 1) << 3) + <usize>(bits >> 29))
        : load<u8>(zeroTables + <usize>((total - 1) << 9) + <usize>(bits >> 23))
    )
    if (entry == 0) return -1
    skipBits(entry & 15)
    zeros = entry >> 4
  }
  let place = total + zeros - 1
  if (place >= count) return -1
  for (let i = 0; i < total; i++) {
    let level = load<i32>(levels + <usize>(i << 2))
    const at = place * step
    if (scale != 0) level = (level * load<i32>(scale + <usize>(at << 2)) + ((1 << shift) >> 1)) >> shift
    store<i16>(to + (<usize>load<u8>(scan + at) << 1), <i16>level)
    place--
    if (zeros > 0 && i < total - 1) {
      bits = peekBits()
      let entry: i32
      if (zeros > 6) entry = load<u8>(longRuns + <usize>(bits >> 21))
      else entry = load<u8>(runTables + <usize>((zeros - 1) << 3) + <usize>(bits >> 29))
      if (entry == 0) return -1
      skipBits(entry & 15)
      const run = entry >> 4
      if (run > zeros) return -1
      zeros -= run
      place -= run
    }
  }
  return isShort() ? -1 : total
}
