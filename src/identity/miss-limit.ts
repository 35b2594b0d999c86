/** Limits failed attempts, for operations whose failures reveal something. Successful attempts cost nothing. */

interface Tries {
  /** Failed attempts and running ones. */
  count: number
  endsAtMs: number
}

export interface MissRule {
  /** Failed attempts per key within `windowMs` milliseconds of the first one. */
  missesMax: number
  windowMs: number
  /** Number of remembered keys; the oldest is forgotten first. */
  keysMax?: number
}

export class MissLimit {
  readonly #rule: Required<MissRule>
  readonly #monotonicMs: () => number
  /** Ordered by their end. */
  readonly #tries = new Map<string, Tries>()

  constructor(rule: MissRule, monotonicMs: () => number) {
    this.#rule = { keysMax: 50_000, ...rule }
    this.#monotonicMs = monotonicMs
  }

  /** Starts an attempt, which counts as failed unless it is given back. @returns whole seconds to wait, 0 to go ahead */
  begin(key: string): number {
    const waitS = this.waitS(key)
    if (waitS === 0) this.add(key)
    return waitS
  }

  /** Whole seconds until a key may try again; 0 if it may now. */
  waitS(key: string, missesMax = this.#rule.missesMax): number {
    const tries = this.#current(key)
    return tries && tries.count >= missesMax ? Math.ceil((tries.endsAtMs - this.#monotonicMs()) / 1000) : 0
  }

  /** Counts a failed attempt. */
  add(key: string): void {
    const tries = this.#current(key)
    if (tries) {
      tries.count++
      return
    }
    this.#forgetOld()
    this.#tries.set(key, { count: 1, endsAtMs: this.#monotonicMs() + this.#rule.windowMs })
  }

  /** Takes back an attempt that revealed nothing. */
  giveBack(key: string): void {
    const tries = this.#tries.get(key)
    if (!tries) return
    tries.count--
    if (tries.count <= 0) this.#tries.delete(key)
  }

  #current(key: string): Tries | null {
    const tries = this.#tries.get(key)
    if (tries && tries.endsAtMs > this.#monotonicMs()) return tries
    this.#tries.delete(key)
    return null
  }

  #forgetOld(): void {
    for (const [key, { endsAtMs }] of this.#tries) {
      if (endsAtMs > this.#monotonicMs() && this.#tries.size < this.#rule.keysMax) return
      this.#tries.delete(key)
    }
  }
}
