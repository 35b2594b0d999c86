/** The arithmetic decoder of booleans (7). */

/** The range; the value with `bits` bits that were read ahead. */
let range: u32 = 255
let value: u64 = 0
let bits: i32 = 0
let next: usize = 0
let end: usize = 0

/** Starts to read a partition. */
export function startBools(at: usize, bytes: usize): void {
  next = at
  end = at + bytes
  range = 255
  value = 0
  bits = -8
  readAhead()
}

/** Where a partition is kept while another one is read, and its size. */
export const partitionBytes = 32

export function keepBools(at: usize): void {
  store<u64>(at, value)
  store<u32>(at, range, 8)
  store<i32>(at, bits, 12)
  store<usize>(at, next, 16)
  store<usize>(at, end, 20)
}

export function resumeBools(at: usize): void {
  value = load<u64>(at)
  range = load<u32>(at, 8)
  bits = load<i32>(at, 12)
  next = load<usize>(at, 16)
  end = load<usize>(at, 20)
}

/** Behind the end there are zeros. */
function readAhead(): void {
  value <<= 32
  bits += 32
  if (next + 4 <= end) value |= <u64>bswap<u32>(load<u32>(next))
  else for (let i = 0; i < 4 && next + i < end; i++) value |= <u64>load<u8>(next + i) << (24 - 8 * i)
  next = min(next + 4, end)
}

/** @param probability of 0, in 256 */
@inline
export function readBool(probability: u32): bool {
  const split = 1 + (((range - 1) * probability) >> 8)
  const scaled = <u64>split << bits
  const isSet = value >= scaled
  if (isSet) {
    value -= scaled
    range -= split
  } else range = split
  const shift = clz<u32>(range) - 24
  range <<= shift
  bits -= shift
  if (bits < 0) readAhead()
  return isSet
}

export function readFlag(): bool {
  return readBool(128)
}

export function readBits(count: i32): i32 {
  let bits = 0
  while (count-- > 0) bits = (bits << 1) | <i32>readFlag()
  return bits
}

/** A number whose sign comes last; 0 if a flag says that there is none. */
export function readSigned(count: i32): i32 {
  if (!readFlag()) return 0
  const number = readBits(count)
  return readFlag() ? -number : number
}

/** @returns the leaf of a tree of `tables.ts` */
export function readTree(tree: usize, probabilities: usize): i32 {
  let at = 0
  do at = load<i32>(tree + (<usize>(at + <i32>readBool(load<u8>(probabilities + <usize>(at >> 1)))) << 2))
  while (at > 0)
  return -at
}
