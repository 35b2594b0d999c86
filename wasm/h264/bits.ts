/** Reads the payload of a NAL unit bit by bit. */

let base: usize = 0
let position: u32 = 0
/** Number of bits before the stop bit. */
let size: u32 = 0

/**
 * Removes the bytes that prevent start codes (7.4.1), in place.
 * @returns the number of bytes that are left
 */
export function unescape(start: usize, bytes: usize): usize {
  const end = start + bytes
  let from = start
  // Looks at every second byte, one of which is in each pair of zeros.
  while (from + 2 < end) {
    if (load<u8>(from, 1) != 0) {
      from += 2
      continue
    }
    if (load<u8>(from) == 0 && load<u8>(from, 2) == 3) break
    from += 1
  }
  if (from + 2 >= end) return bytes
  let to = from
  let zeros = 0
  while (from < end) {
    const byte = load<u8>(from++)
    if (zeros >= 2 && byte == 3) {
      zeros = 0
      continue
    }
    store<u8>(to++, byte)
    zeros = byte == 0 ? zeros + 1 : 0
  }
  return to - start
}

/** Starts reading. Behind the bytes there must be 16 that may be read. */
export function startBits(start: usize, bytes: usize): void {
  base = start
  position = 0
  while (bytes > 0 && load<u8>(start + bytes - 1) == 0) bytes--
  size = bytes == 0 ? 0 : (<u32>bytes << 3) - 1 - <u32>ctz<u32>(load<u8>(start + bytes - 1))
}

@inline
export function hasMore(): bool {
  return position < size
}

/** Whether more bits were read than there are. */
@inline
export function isShort(): bool {
  return position > size
}

@inline
function peek64(): u64 {
  return bswap<u64>(load<u64>(base + (position >> 3))) << (position & 7)
}

/** The next 32 bits, without moving on. */
@inline
export function peekBits(): u32 {
  return <u32>(peek64() >> 32)
}

@inline
export function skipBits(count: u32): void {
  position = min(position + count, size + 64)
}

/** Reads 1 to 32 bits. */
@inline
export function readBits(count: u32): u32 {
  const bits = <u32>(peek64() >> (64 - count))
  skipBits(count)
  return bits
}

@inline
export function readBit(): u32 {
  return readBits(1)
}

/** Reads an unsigned Exp-Golomb code (9.1). */
export function readUe(): u32 {
  const bits = peek64()
  const zeros = <u32>clz<u64>(bits)
  if (zeros < 24) {
    skipBits(2 * zeros + 1)
    return <u32>(bits >> (63 - 2 * zeros)) - 1
  }
  if (zeros > 31) {
    position = size + 64
    return 0
  }
  skipBits(zeros)
  return readBits(zeros + 1) - 1
}

/** Reads a signed Exp-Golomb code (9.1.1). */
export function readSe(): i32 {
  const code = readUe()
  const half = <i32>((code + 1) >> 1)
  return (code & 1) != 0 ? half : -half
}

/** Moves to the next whole byte, and returns its address. */
export function alignBits(): usize {
  position = (position + 7) & ~7
  return base + (position >> 3)
}

/** Bytes from the next whole byte to the end. */
export function bytesLeft(): i32 {
  return <i32>((size + 7) >> 3) - <i32>((position + 7) >> 3)
}
