import { KeyedCount } from '../queue/keyed-count.ts'

/** Limits how many callers are present at a time, in total and per key. */
export class ConcurrencyLimit {
  readonly #max: number
  readonly #perKeyMax: number
  readonly #present = new KeyedCount()

  constructor(max: number, perKeyMax: number) {
    this.#max = max
    this.#perKeyMax = perKeyMax
  }

  get size(): number {
    return this.#present.total
  }

  /** Admits a caller until `leave` with the same key; false if there are too many. */
  enter(key: string): boolean {
    if (this.#present.total >= this.#max || this.#present.of(key) >= this.#perKeyMax) return false
    this.#present.add(key, 1)
    return true
  }

  leave(key: string): void {
    this.#present.add(key, -1)
  }
}
