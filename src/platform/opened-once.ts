/** Something that all requests of an isolate share, opened by the first one. */

interface Opening<T> {
  opened: Promise<T>
  beganMs: number
  isDone: boolean
}

export class OpenedOnce<T> {
  readonly #maxMs: number
  readonly #nowMs: () => number
  #opening: Opening<T> | null = null

  /**
   * @param maxMs after this time an opening counts as lost: the platform ends a request together with what it runs, and the others
   *   would wait for it for ever
   */
  constructor(maxMs: number, nowMs: () => number) {
    this.#maxMs = maxMs
    this.#nowMs = nowMs
  }

  /**
   * What is open, or will be. An opening that failed or was lost is forgotten, so that the next request tries again.
   * @param keepAlive is given the opening, if this call has begun it
   */
  get(open: () => Promise<T>, keepAlive: (work: Promise<unknown>) => void): Promise<T> {
    const known = this.#opening
    if (known && (known.isDone || this.#nowMs() - known.beganMs < this.#maxMs)) return known.opened
    const opening: Opening<T> = { opened: open(), beganMs: this.#nowMs(), isDone: false }
    this.#opening = opening
    const done = opening.opened.then(
      () => {
        opening.isDone = true
      },
      () => {
        if (this.#opening === opening) this.#opening = null
      },
    )
    keepAlive(done)
    return opening.opened
  }
}
