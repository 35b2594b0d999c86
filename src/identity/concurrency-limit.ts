/** Limits how many callers are present at a time, in total and per key. */

export class ConcurrencyLimit {
  readonly #max: number
  readonly #perKeyMax: number
  readonly #byKey = new Map<string, number>()
  #count = 0

  constructor(max: number, perKeyMax: number) {
    this.#max = max
    this.#perKeyMax = perKeyMax
  }

  get size(): number {
    return this.#count
  }

  /** Admits a caller until `leave` with the same key; false if there are too many. */
  enter(key: string): boolean {
    const ofKey = this.#byKey.get(key) ?? 0
    if (this.#count >= this.#max || ofKey >= this.#perKeyMax) return false
    this.#count++
    this.#byKey.set(key, ofKey + 1)
    return true
  }

  leave(key: string): void {
    this.#count--
    const left = (this.#byKey.get(key) ?? 0) - 1
    if (left > 0) this.#byKey.set(key, left)
    else this.#byKey.delete(key)
  }
}
