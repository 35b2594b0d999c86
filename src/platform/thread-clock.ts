/** How long a thread has worked. On a busy machine this is less than the time that has passed, and says what a medium costs. */
import { readFileSync, readlinkSync } from 'node:fs'

const readMs = (account: string): number => Number.parseInt(readFileSync(account, 'latin1'), 10) / 1e6

/**
 * Where Linux accounts for the calling thread, for `threadClock`.
 * @returns `null` if it does not, and on Deno, which would ask its user for the right to read it
 */
export function threadAccount(): string | null {
  if ('Deno' in globalThis) return null
  try {
    const account = `/proc/${readlinkSync('/proc/thread-self')}/schedstat`
    return readMs(account) > 0 ? account : null
  } catch {
    return null
  }
}

/**
 * Opens the clock of a thread.
 * @returns milliseconds of the processor that the thread has used, which stand still when it has ended; those that have passed
 *   if it has no account
 */
export function threadClock(account: string | null): () => number {
  if (account === null) return () => performance.now()
  let lastMs = 0
  return () => {
    try {
      lastMs = readMs(account)
    } catch {
      // The thread has ended, and its account with it.
    }
    return lastMs
  }
}
