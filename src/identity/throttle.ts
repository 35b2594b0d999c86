/** Holds callers to a rate, in a fixed amount of memory and with nothing kept for longer than the rate's own time. */
import { invariant } from '../errors.ts'
import type { ThrottledKind, ThrottlingRates } from '../settings.ts'

/** Whether a call may be made now, or after how many whole seconds (1 or more). */
export type Taken = { ok: true } | { ok: false; retryAfterS: number }

/** Calls that are left (a fraction while it fills up) at a time of the clock. */
interface Bucket {
  left: number
  atMs: number
}

const keyLengthMax = 128
/** What sums of fractions of a call may be wrong by. */
const rounding = 1e-9

/** A bucket for each kind and key: full at first, empty after `calls` at once, full again after `seconds`. */
export class Throttle {
  readonly #rates: ThrottlingRates
  readonly #monotonicMs: () => number
  readonly #keysMax: number
  /** In the order of last use, so that the oldest come first. */
  readonly #buckets = new Map<ThrottledKind, Map<string, Bucket>>()

  /** @param keysMax keys of one kind that are remembered; the one not seen for longest is forgotten first */
  constructor(rates: ThrottlingRates, monotonicMs: () => number, keysMax = 50_000) {
    this.#rates = rates
    this.#monotonicMs = monotonicMs
    this.#keysMax = keysMax
  }

  /**
   * Takes one call, if the rate allows it. A refused call costs nothing.
   * @param key a hash or a parsed address, 128 characters at most
   */
  take(kind: ThrottledKind, key: string): Taken {
    const rate = this.#rates[kind]
    if (!rate) return { ok: true }
    invariant(key.length <= keyLengthMax, 'a throttled key is short')
    this.forgetFull()
    const buckets = this.#findBuckets(kind)
    const atMs = this.#monotonicMs()
    const callsPerMs = rate.calls / (rate.seconds * 1000)
    const before = buckets.get(key) ?? { left: rate.calls, atMs }
    const filled = Math.min(rate.calls, before.left + (atMs - before.atMs) * callsPerMs)
    const isTaken = filled + rounding >= 1
    buckets.delete(key)
    buckets.set(key, { left: isTaken ? filled - 1 : filled, atMs })
    this.#forgetOverMax(buckets)
    if (isTaken) return { ok: true }
    return { ok: false, retryAfterS: Math.max(1, Math.ceil((1 - filled - rounding) / callsPerMs / 1000)) }
  }

  /** Forgets everyone who has not called for so long that it makes no difference. To be called now and then. */
  forgetFull(): void {
    for (const [kind, buckets] of this.#buckets) {
      const windowMs = (this.#rates[kind]?.seconds ?? 0) * 1000
      const nowMs = this.#monotonicMs()
      for (const [key, { atMs }] of buckets) {
        if (atMs + windowMs > nowMs) break
        buckets.delete(key)
      }
    }
  }

  /** Keys that are remembered now. */
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
