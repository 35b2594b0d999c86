/** Allocates memory for the bytes of media. */

/** From this size on a medium gets a memory mapping of its own. Most photos are smaller. */
const largeBytes = 4 * 2 ** 20

/**
 * Above the largest size that glibc may allocate on the heap (M_MMAP_THRESHOLD in mallopt(3) grows dynamically up to 32 MiB).
 * A mapping is returned to the system when it is freed; heap memory may stay as long as small allocations beside it do.
 */
const ownBytesMin = 2 ** 25 + 2 ** 16

/**
 * Allocates zeroed memory for `length` bytes. Large media get a larger buffer than they need, which costs only address
 * space: pages that are never written to are not allocated.
 */
export const allocateMediaMemory = (length: number): Uint8Array<ArrayBuffer> =>
  length < largeBytes
    ? new Uint8Array(length)
    : new Uint8Array(new ArrayBuffer(Math.max(length, ownBytesMin)), 0, length)

/** Copies bytes into a buffer of their own, which can be transferred to another thread. */
export function copyBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = allocateMediaMemory(bytes.length)
  copy.set(bytes)
  return copy
}
