/** Reads coded data bit by bit, and the blocks of sequential scans. */
import { extend, findLong, lookupBits } from './huffman'
import { Component, damaged, done, incomplete } from './picture'
import { zigzag } from './zigzag'

/** The next bits, the last of which is the lowest, and their number. */
let waiting: u64 = 0
let count: i32 = 0
/** How many of them are zeros that stand for data behind a marker. */
let padded: i32 = 0
/** Address of the next byte. */
let next: usize = 0
let isBroken: bool = false

/** Starts reading at an address. Behind the data there must be a marker. */
export function startBits(start: usize): void {
  waiting = 0
  count = 0
  padded = 0
  next = start
  isBroken = false
}

@inline
export function bitsAt(): usize {
  return next
}

export function markBroken(): void {
  isBroken = true
}

/** Whether more bits were read than there are. */
@inline
export function isBitsShort(): bool {
  return count < padded
}

/** Whether a code was wrong, or more bits were read than there are. */
@inline
export function isBitsBroken(): bool {
  return isBroken || isBitsShort()
}

/** Makes at least 32 bits available, byte by byte: 0xff is followed by 0 or begins a marker. */
function refillSlowly(): void {
  while (count <= 48) {
    let byte = <u32>load<u8>(next)
    if (byte == 0xff) {
      if (load<u8>(next, 1) != 0) {
        byte = 0
        padded += 8
        next -= 1
      } else next += 1
    }
    next += 1
    waiting = (waiting << 8) | byte
    count += 8
  }
}

@inline
function hasFf(word: u32): bool {
  return ((~word - 0x01010101) & word & 0x80808080) != 0
}

function refill(): void {
  const word = load<u32>(next)
  if (hasFf(word)) return refillSlowly()
  waiting = (waiting << 32) | bswap<u32>(word)
  count += 32
  next += 4
}

/** Reads 0…16 bits. */
export function readBits(size: i32): i32 {
  if (count < 32) refill()
  count -= size
  return <i32>(waiting >> count) & ((1 << size) - 1)
}

/** Reads a symbol. */
export function readSymbol(table: usize): i32 {
  if (count < 32) refill()
  let entry = load<u32>(table + (<usize>((waiting >> (count - lookupBits)) & ((1 << lookupBits) - 1)) << 2))
  if (entry == 0) {
    entry = findLong(table, <i32>(waiting >> (count - 16)) & 0xffff)
    if (entry == 0) {
      isBroken = true
      return 0
    }
    count -= <i32>(entry & 0x7f)
    return <i32>(entry >> 16)
  }
  if (entry & 0x80) {
    // The lookup has the value as well: the symbol is its run and size.
    const value = <i32>entry >> 16
    const size = 32 - clz(abs(value))
    count -= <i32>(entry & 0x7f) - size
    return <i32>(((entry >> 8) & 15) << 4) | size
  }
  count -= <i32>(entry & 0x7f)
  return <i32>(entry >> 16)
}

/**
 * Reads a block of a sequential scan into 64 cleared coefficients (F.2.2). Returns the last place that was written.
 */
export function readBlock(component: Component, coefficients: usize): i32 {
  const ac = component.ac
  let bits = waiting
  let left = count
  let at = next
  if (left < 32) {
    const word = load<u32>(at)
    if (hasFf(word)) {
      refillSlowly()
      bits = waiting
      left = count
      at = next
    } else {
      bits = (bits << 32) | bswap<u32>(word)
      left += 32
      at += 4
    }
  }
  let entry = load<u32>(component.dc + (<usize>((bits >> (left - lookupBits)) & ((1 << lookupBits) - 1)) << 2))
  let difference = 0
  if (entry & 0x80) {
    left -= <i32>(entry & 0x7f)
    difference = <i32>entry >> 16
  } else {
    if (entry == 0) entry = findLong(component.dc, <i32>(bits >> (left - 16)) & 0xffff)
    if (entry == 0) isBroken = true
    left -= <i32>(entry & 0x7f)
    const size = <i32>(entry >> 16) & 15
    if (size != 0) {
      left -= size
      difference = extend(<i32>(bits >> left) & ((1 << size) - 1), size)
    }
  }
  component.before += difference
  store<i16>(coefficients, <i16>component.before)
  let last = 0
  for (let place = 1; place < 64; place++) {
    if (left < 32) {
      const word = load<u32>(at)
      if (hasFf(word)) {
        waiting = bits
        count = left
        next = at
        refillSlowly()
        bits = waiting
        left = count
        at = next
      } else {
        bits = (bits << 32) | bswap<u32>(word)
        left += 32
        at += 4
      }
    }
    entry = load<u32>(ac + (<usize>((bits >> (left - lookupBits)) & ((1 << lookupBits) - 1)) << 2))
    let value = <i32>entry >> 16
    if (entry & 0x80) {
      left -= <i32>(entry & 0x7f)
      place += <i32>(entry >> 8) & 15
    } else {
      if (entry == 0) {
        entry = findLong(ac, <i32>(bits >> (left - 16)) & 0xffff)
        if (entry == 0) {
          isBroken = true
          break
        }
      }
      left -= <i32>(entry & 0x7f)
      const symbol = <i32>(entry >> 16)
      const size = symbol & 15
      if (size == 0) {
        if (symbol != 0xf0) break
        place += 15
        continue
      }
      place += symbol >> 4
      left -= size
      value = extend(<i32>(bits >> left) & ((1 << size) - 1), size)
    }
    if (place > 63) {
      isBroken = true
      break
    }
    store<i16>(coefficients + (<usize>load<u8>(zigzag + place) << 1), <i16>value)
    last = place
  }
  waiting = bits
  count = left
  next = at
  return last
}

/**
 * Reads a restart marker and starts anew behind it.
 * @param number 0…7
 */
export function readRestart(number: i32): i32 {
  if (isBitsShort()) return incomplete
  if (isBroken || count - padded >= 8) return damaged
  while (load<u8>(next) == 0xff && load<u8>(next, 1) == 0xff) next++
  if (load<u8>(next) != 0xff) return damaged
  // Another marker: what lies between is missing.
  if (load<u8>(next, 1) != <u8>(0xd0 | number)) return incomplete
  startBits(next + 2)
  return done
}

/** Saves where reading continues, in 16 bytes: the bits with a 1 before them, the address, and the zeros among them. */
@inline
export function saveBits(to: usize): void {
  store<u64>(to, (waiting & ((<u64>1 << count) - 1)) | (<u64>1 << count))
  store<u32>(to, <u32>next, 8)
  store<i32>(to, padded, 12)
}

@inline
export function restoreBits(from: usize): void {
  const saved = load<u64>(from)
  count = 63 - <i32>clz(saved)
  waiting = saved
  next = load<u32>(from, 8)
  padded = load<i32>(from, 12)
  isBroken = false
}
