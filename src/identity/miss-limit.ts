/** Limits failed attempts, for operations whose failures reveal something. Successful attempts cost nothing. */
import { AppError } from '../errors.ts'

interface Tries {
  failed: number
  /** When each running attempt began, in this order. */
  runningSinceMs: number[]
  endsAtMs: number
}

/** A running attempt counts as lost after this time: some runtimes end a request without its `finally`. */
const runningMaxMs = 60_000

interface MissRule {
  /** Failed attempts per key within `windowMs` milliseconds of the first one. */
  missesMax: number
  windowMs: number
  /** Number of remembered keys; the oldest is forgotten first. */
  keysMax?: number
}

const countOf = ({ failed, runningSinceMs }: Tries): number => failed + runningSinceMs.length

export class MissLimit {
  readonly #rule: Required<MissRule>
  readonly #monotonicMs: () => number
  /** Ordered by their end. */
  readonly #tries = new Map<string, Tries>()

  constructor(rule: MissRule, monotonicMs: () => number) {
    this.#rule = { keysMax: 50_000, ...rule }
    this.#monotonicMs = monotonicMs
  }

  /**
   * Makes an attempt, which counts while it runs, and after it if it failed. One that throws reveals nothing.
   * @returns whether it failed
   * @throws {AppError} `throttled` after too many, and what `fails` throws
   */
  async attempt(key: string, fails: () => Promise<boolean>): Promise<boolean> {
    const waitS = this.begin(key)
    if (waitS > 0) throw new AppError('throttled', undefined, { retryAfterS: waitS })
    let hasFailed = false
    try {
      hasFailed = await fails()
      return hasFailed
    } finally {
      if (hasFailed) this.fail(key)
      else this.giveBack(key)
    }
  }

  /**
   * Starts an attempt. It counts while it runs, for a minute at most, and ends with `fail` or `giveBack`.
   * @returns whole seconds to wait, 0 to go ahead
   */
  begin(key: string): number {
    const waitS = this.waitS(key)
    if (waitS === 0) this.start(key)
    return waitS
  }

  /** Whole seconds until a key may try again; 0 if it may now. */
  waitS(key: string, missesMax = this.#rule.missesMax): number {
    const tries = this.#current(key)
    return tries && countOf(tries) >= missesMax ? Math.ceil((tries.endsAtMs - this.#monotonicMs()) / 1000) : 0
  }

  /** Starts an attempt, whatever the limit. */
  start(key: string): void {
    this.#open(key).runningSinceMs.push(this.#monotonicMs())
  }

  /** Ends an attempt that failed; it counts until the window ends. */
  fail(key: string): void {
    const tries = this.#open(key)
    tries.runningSinceMs.shift()
    tries.failed++
  }

  /** Ends an attempt that revealed nothing. */
  giveBack(key: string): void {
    const tries = this.#current(key)
    tries?.runningSinceMs.shift()
    if (tries && countOf(tries) === 0) this.#tries.delete(key)
  }

  #open(key: string): Tries {
    const known = this.#current(key)
    if (known) return known
    this.#forgetOld()
    const tries: Tries = {
      failed: 0,
      runningSinceMs: [],
      endsAtMs: this.#monotonicMs() + this.#rule.windowMs,
    }
    this.#tries.set(key, tries)
    return tries
  }

  #current(key: string): Tries | null {
    const tries = this.#tries.get(key)
    const nowMs = this.#monotonicMs()
    if (!tries || tries.endsAtMs <= nowMs) {
      this.#tries.delete(key)
      return null
    }
    while ((tries.runningSinceMs[0] ?? nowMs) <= nowMs - runningMaxMs) tries.runningSinceMs.shift()
    return tries
  }

  #forgetOld(): void {
    for (const [key, { endsAtMs }] of this.#tries) {
      if (endsAtMs > this.#monotonicMs() && this.#tries.size < this.#rule.keysMax) return
      this.#tries.delete(key)
    }
  }
}
