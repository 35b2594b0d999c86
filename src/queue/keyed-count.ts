/** What each key holds of something, and all together. Keys that hold nothing are forgotten. */
export class KeyedCount {
  readonly #byKey = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  of(key: string): number {
    return this.#byKey.get(key) ?? 0
  }

  /** @param amount negative to give back */
  add(key: string, amount: number): void {
    const held = this.of(key) + amount
    this.#total += amount
    if (held > 0) this.#byKey.set(key, held)
    else this.#byKey.delete(key)
  }

  keys(): string[] {
    return [...this.#byKey.keys()]
  }
}
