/** Memory for the bytes of media. */

/** From here on a medium gets memory of its own. Photos are mostly shorter. */
const largeBytes = 4 * 2 ** 20

/**
 * Longer than what glibc ever puts among small things (M_MMAP_THRESHOLD in mallopt(3): it grows with what is freed, up to
 * 32 MiB). Memory beyond goes back to the system when it is freed; memory among small things stays for as long as one of them.
 */
const ownBytesMin = 2 ** 25 + 2 ** 16

/**
 * Zeroed memory for `length` bytes. Large media lie in more than they need, which costs addresses alone: pages that nobody
 * writes to do not exist.
 */
export const allocateMediaMemory = (length: number): Uint8Array<ArrayBuffer> =>
  length < largeBytes
    ? new Uint8Array(length)
    : new Uint8Array(new ArrayBuffer(Math.max(length, ownBytesMin)), 0, length)

/** A copy that can be handed to another thread without what it is a view of. */
export function copyBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = allocateMediaMemory(bytes.length)
  copy.set(bytes)
  return copy
}
