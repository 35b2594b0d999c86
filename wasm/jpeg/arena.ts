/** Memory of the picture that is being decoded, taken from the heap's start on and never given back. */

/** Limit, in bytes. A progressive picture of 40 megapixels with 4:4:4 needs 240 MB. */
const bytesMax: u64 = 256 << 20

let next: usize = 0

/** Gives up everything that was reserved. */
export function resetArena(start: usize): void {
  next = start
}

/** Returns the address of reserved bytes, a multiple of 16; 0 if there is not enough memory. The bytes have any value. */
export function reserve(bytes: u64): usize {
  const start = (next + 15) & ~(<usize>15)
  const end = <u64>start + bytes
  if (end > bytesMax) return 0
  const size = <u64>memory.size() << 16
  if (end > size && memory.grow(<i32>((end - size + 0xffff) >> 16)) < 0) return 0
  next = <usize>end
  return start
}
