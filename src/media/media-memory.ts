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

/** Bytes after which work on the event loop yields: where it is first written, memory takes up to 4 ms for each megabyte. */
export const pieceBytes = 2 ** 20

/**
 * Copies bytes into a buffer of their own, which can be transferred to another thread.
 * @param pause awaited between pieces of large media, to yield to the event loop
 */
export async function copyInPieces(
  bytes: Uint8Array,
  pause: () => Promise<void>,
): Promise<Uint8Array<ArrayBuffer>> {
  const copy = allocateMediaMemory(bytes.length)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (at > 0) await pause()
    copy.set(bytes.subarray(at, at + pieceBytes), at)
  }
  return copy
}
