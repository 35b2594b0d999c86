/** Work on one key is done one after the other, work on different keys side by side. */
export class Turns {
  readonly #tails = new Map<string, Promise<unknown>>()

  /** What fails rejects its own caller and nobody else's. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve()
    const result = before.then(work)
    const tail = result.catch(() => {})
    this.#tails.set(key, tail)
    try {
      return await result
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    }
  }
}
