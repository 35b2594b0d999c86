/** Memory of a decoder of clips. Only what a sequence held is used again. */

/** Limit of all memory in bytes. */
let bytesMax: u64 = 0
let next: usize = 0

export function limitMemory(bytes: u32): void {
  bytesMax = bytes
}

/** Returns where `bytes` are reserved; 0 if there is not enough memory. */
export function reserve(bytes: u64): usize {
  if (next == 0) next = __heap_base
  const start = (next + 63) & ~(<usize>63)
  const end = <u64>start + bytes
  if (end > bytesMax) return 0
  const size = <u64>memory.size() << 16
  if (end > size && memory.grow(<i32>((end - size + 0xffff) >> 16)) < 0) return 0
  next = <usize>end
  return start
}

let inputAt: usize = 0
let inputBytes: usize = 0

/** Returns where `bytes` of input belong; 0 if there is not enough memory. Behind them there are 8 KiB that may be read. */
export function reserveInput(bytes: usize): usize {
  if (bytes + 8192 > inputBytes) {
    const size = max<usize>(2 * inputBytes, bytes + 65536)
    const at = reserve(size)
    if (at == 0) return 0
    inputAt = at
    inputBytes = size
  }
  return inputAt
}

let sequenceAt: usize = 0
let sequenceBytes: u64 = 0
let sequenceEnd: usize = 0

/** Reserves what a sequence needs, where the one before was if it is as large, or if nothing was reserved since. */
export function reserveForSequence(bytes: u64): usize {
  if (sequenceAt != 0 && bytes <= sequenceBytes) return sequenceAt
  if (sequenceAt != 0 && sequenceEnd == next) next = sequenceAt
  sequenceAt = reserve(bytes)
  sequenceBytes = bytes
  sequenceEnd = next
  return sequenceAt
}
