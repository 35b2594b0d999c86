import type { Caller } from './caller.ts'
import { FairQueue, type QueuedJob, type QueueOptions } from './fair-queue.ts'

interface Turn extends QueuedJob {
  begin(): void
}

export interface TurnOptions extends QueueOptions {
  atOnceMax: number
  /**
   * Milliseconds after which work counts as lost and its place is free; default: never. For runtimes that end a request together
   * with what it runs, and call no `finally`.
   */
  heldMaxMs?: number
  /**
   * For runtimes whose clock stands still while they compute: what the clock does not show counts by its estimate. Otherwise whoever
   * always waits would pay nothing.
   */
  clockStandsStill?: boolean
}

/** Runs work in the caller's own request when its turn comes. A failure rejects only its own caller. */
export class FairSemaphore {
  readonly #queue: FairQueue<Turn>
  readonly #atOnceMax: number
  readonly #heldMaxMs: number
  readonly #clockStandsStill: boolean
  /** When each turn began that has not ended. */
  readonly #running = new Map<Turn, number>()

  constructor({
    atOnceMax,
    heldMaxMs = Number.POSITIVE_INFINITY,
    clockStandsStill = false,
    ...options
  }: TurnOptions) {
    this.#queue = new FairQueue(options)
    this.#atOnceMax = atOnceMax
    this.#heldMaxMs = heldMaxMs
    this.#clockStandsStill = clockStandsStill
  }

  /** Number of waiting jobs. */
  get waiting(): number {
    return this.#queue.waiting
  }

  /**
   * @param costMs estimated milliseconds of work
   * @param signal stops waiting; work that has started is finished
   * @throws {AppError} `overloaded` if the queue is full or the waiting time exceeded
   */
  async run<T>(caller: Caller, costMs: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = await this.#wait(caller, costMs, signal)
    try {
      return await work()
    } finally {
      this.#end(turn)
      this.#startNext()
    }
  }

  async #wait(caller: Caller, costMs: number, signal: AbortSignal | undefined): Promise<Turn> {
    const proceed = () => {
      this.#endLost()
      this.#startNext()
    }
    // Whoever waits finds out that work was lost: nobody else may come.
    const looks = Number.isFinite(this.#heldMaxMs) ? setInterval(proceed, this.#heldMaxMs) : undefined
    try {
      return await new Promise<Turn>((resolve, reject) => {
        const waiting: Turn = { caller, costMs, reject, begin: () => resolve(waiting) }
        this.#queue.add(waiting, signal, () => {})
        proceed()
      })
    } finally {
      clearInterval(looks)
    }
  }

  #startNext(): void {
    if (this.#running.size >= this.#atOnceMax) return
    const turn = this.#queue.take()
    if (!turn) return
    this.#running.set(turn, performance.now())
    turn.begin()
  }

  #end(turn: Turn): void {
    const beganMs = this.#running.get(turn)
    if (beganMs === undefined) return
    this.#running.delete(turn)
    const shownMs = performance.now() - beganMs
    this.#queue.settle(turn, this.#clockStandsStill ? Math.max(shownMs, turn.costMs) : shownMs)
  }

  #endLost(): void {
    const lostMs = performance.now() - this.#heldMaxMs
    for (const [turn, beganMs] of this.#running) if (beganMs <= lostMs) this.#end(turn)
  }
}
