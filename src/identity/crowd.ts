/** Bounds how many are here at one time: in sum, and under one key. */

export class Crowd {
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

  /** Lets one more in, who is to `leave` by the same key; false where there are too many. */
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
