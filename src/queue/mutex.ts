/** Runs work one at a time, in the order of the calls. A failure rejects only its own caller. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }
}

/** Runs work on one key one at a time, work on different keys side by side. */
export class KeyedMutex {
  readonly #byKey = new Map<string, { mutex: Mutex; count: number }>()

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const entry = this.#byKey.get(key) ?? { mutex: new Mutex(), count: 0 }
    this.#byKey.set(key, entry)
    entry.count++
    try {
      return await entry.mutex.run(work)
    } finally {
      if (--entry.count === 0) this.#byKey.delete(key)
    }
  }
}
