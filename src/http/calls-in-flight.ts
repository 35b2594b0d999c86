/** Gives back what calls hold when they end, or when they count as lost. */
export class CallsInFlight {
  readonly #heldMaxMs: number
  readonly #monotonicMs: () => number
  /** When each call began, by what gives back its share; the oldest first. */
  readonly #beganMs = new Map<() => void, number>()

  /** @param heldMaxMs milliseconds after which a call counts as lost; for runtimes that end a request without its `finally` */
  constructor(heldMaxMs: number, monotonicMs: () => number) {
    this.#heldMaxMs = heldMaxMs
    this.#monotonicMs = monotonicMs
  }

  /**
   * @param giveBack called once, when the call ends or is lost
   * @returns ends the call
   */
  begin(giveBack: () => void): () => void {
    this.#beganMs.set(giveBack, this.#monotonicMs())
    return () => this.#end(giveBack)
  }

  /** Ends calls that are lost. */
  endLost(): void {
    const lostMs = this.#monotonicMs() - this.#heldMaxMs
    for (const [giveBack, beganMs] of this.#beganMs) {
      if (beganMs > lostMs) return
      this.#end(giveBack)
    }
  }

  #end(giveBack: () => void): void {
    if (this.#beganMs.delete(giveBack)) giveBack()
  }
}
