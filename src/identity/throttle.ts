/** Limits the rate of calls in bounded memory. Nothing is stored longer than the period of the rate and the longest delay. */
import { invariant } from '../errors.ts'
import type { ThrottledKind, ThrottlingRates } from '../settings.ts'

/** After how many milliseconds a call may run, or, if it may not wait so long, after how many whole seconds (1 or more) to try again. */
type Taken = { ok: true; delayMs: number } | { ok: false; retryAfterS: number }

/** Remaining calls at a time of the clock: a fraction while the bucket refills, negative while calls wait. */
interface Bucket {
  left: number
  atMs: number
}

const keyLengthMax = 128
/** Tolerance for rounding errors in sums of fractions. */
const rounding = 1e-9

/**
 * A token bucket per kind and key: full at first, empty after `calls` calls at once, full again after `seconds`. Calls that find
 * it empty are delayed until it has one for them, in the order in which they came.
 */
export class Throttle {
  readonly #rates: ThrottlingRates
  readonly #delayMaxMs: number
  readonly #monotonicMs: () => number
  readonly #keysMax: number
  /** Ordered by last use, the oldest first. */
  readonly #buckets = new Map<ThrottledKind, Map<string, Bucket>>()

  /**
   * @param delayMaxMs a call that would have to wait longer is refused
   * @param keysMax number of remembered keys per kind; the least recently used one is forgotten first
   */
  constructor(rates: ThrottlingRates, delayMaxMs: number, monotonicMs: () => number, keysMax = 50_000) {
    this.#rates = rates
    this.#delayMaxMs = delayMaxMs
    this.#monotonicMs = monotonicMs
    this.#keysMax = keysMax
  }

  /**
   * Takes one call if the rate allows it now or soon. A refused call costs nothing.
   * @param key a hash or a parsed address, at most 128 characters
   */
  take(kind: ThrottledKind, key: string): Taken {
    const rate = this.#rates[kind]
    if (!rate) return { ok: true, delayMs: 0 }
    invariant(key.length <= keyLengthMax, 'a throttled key is short')
    this.forgetFull()
    const buckets = this.#findBuckets(kind)
    const atMs = this.#monotonicMs()
    const callsPerMs = rate.calls / (rate.seconds * 1000)
    const before = buckets.get(key) ?? { left: rate.calls, atMs }
    const filled = Math.min(rate.calls, before.left + (atMs - before.atMs) * callsPerMs)
    const delayMs = Math.max(0, (1 - filled - rounding) / callsPerMs)
    const isTaken = delayMs <= this.#delayMaxMs
    buckets.delete(key)
    buckets.set(key, { left: isTaken ? filled - 1 : filled, atMs })
    this.#forgetOverMax(buckets)
    return isTaken ? { ok: true, delayMs } : { ok: false, retryAfterS: Math.ceil(delayMs / 1000) }
  }

  /** Forgets keys whose bucket is full again. To be called from time to time. */
  forgetFull(): void {
    for (const [kind, buckets] of this.#buckets) {
      const windowMs = (this.#rates[kind]?.seconds ?? 0) * 1000 + this.#delayMaxMs
      const nowMs = this.#monotonicMs()
      for (const [key, { atMs }] of buckets) {
        if (atMs + windowMs > nowMs) break
        buckets.delete(key)
      }
    }
  }

  /** Number of remembered keys. */
  get size(): number {
    return [...this.#buckets.values()].reduce((sum, { size }) => sum + size, 0)
  }

  #findBuckets(kind: ThrottledKind): Map<string, Bucket> {
    const known = this.#buckets.get(kind) ?? new Map<string, Bucket>()
    this.#buckets.set(kind, known)
    return known
  }

  #forgetOverMax(buckets: Map<string, Bucket>): void {
    if (buckets.size <= this.#keysMax) return
    const [oldest] = buckets.keys()
    if (oldest !== undefined) buckets.delete(oldest)
  }
}
