/** Bounds how often somebody may try what tells something by failing. Tries that succeed cost nothing. */

interface Tries {
  /** Those that failed, and those that are under way. */
  count: number
  endsAtMs: number
}

export interface MissRule {
  /** Failed tries of one key within `windowMs` milliseconds of the first. */
  missesMax: number
  windowMs: number
  /** Keys that are remembered; the oldest is forgotten first. */
  keysMax?: number
}

export class MissLimit {
  readonly #rule: Required<MissRule>
  readonly #monotonicMs: () => number
  /** In the order in which they end. */
  readonly #tries = new Map<string, Tries>()

  constructor(rule: MissRule, monotonicMs: () => number) {
    this.#rule = { keysMax: 50_000, ...rule }
    this.#monotonicMs = monotonicMs
  }

  /** Begins a try, which counts as failed until it is given back. @returns whole seconds to wait, 0 to go ahead */
  begin(key: string): number {
    const waitS = this.waitS(key)
    if (waitS === 0) this.add(key)
    return waitS
  }

  /** Whole seconds until a key may try again; 0 when it may now. */
  waitS(key: string, missesMax = this.#rule.missesMax): number {
    const tries = this.#current(key)
    return tries && tries.count >= missesMax ? Math.ceil((tries.endsAtMs - this.#monotonicMs()) / 1000) : 0
  }

  /** Counts a miss. */
  add(key: string): void {
    const tries = this.#current(key)
    if (tries) {
      tries.count++
      return
    }
    this.#forgetOld()
    this.#tries.set(key, { count: 1, endsAtMs: this.#monotonicMs() + this.#rule.windowMs })
  }

  /** The try told nothing. */
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
