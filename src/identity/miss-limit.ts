/** Bounds how often somebody may try what tells something by failing. Tries that succeed cost nothing. */

interface Tries {
  /** Those that failed, and those that are under way. */
  count: number
  endsAtMs: number
}

export class MissLimit {
  readonly #missesMax: number
  readonly #windowMs: number
  readonly #monotonicMs: () => number
  readonly #tries = new Map<string, Tries>()

  /** @param missesMax failed tries of one key within `windowMs` milliseconds of the first */
  constructor(missesMax: number, windowMs: number, monotonicMs: () => number) {
    this.#missesMax = missesMax
    this.#windowMs = windowMs
    this.#monotonicMs = monotonicMs
  }

  /** Begins a try, which counts as failed until it is given back. @returns whole seconds to wait, 0 to go ahead */
  begin(key: string): number {
    const nowMs = this.#monotonicMs()
    const known = this.#tries.get(key)
    const tries = known && known.endsAtMs > nowMs ? known : { count: 0, endsAtMs: nowMs + this.#windowMs }
    if (tries.count >= this.#missesMax) return Math.ceil((tries.endsAtMs - nowMs) / 1000)
    tries.count++
    this.#tries.set(key, tries)
    return 0
  }

  /** The try told nothing. */
  giveBack(key: string): void {
    const tries = this.#tries.get(key)
    if (!tries) return
    tries.count--
    if (tries.count <= 0) this.#tries.delete(key)
  }
}
