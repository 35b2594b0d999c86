/** Resolves after this many milliseconds. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Waits for work, but not longer than `timeoutMs`. The work itself goes on; what it answers or throws later is ignored.
 * @param onTimeout gives the answer instead of the work, or throws
 */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number, onTimeout: () => T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  }).then(onTimeout)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
