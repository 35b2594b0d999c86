import type { Caller } from './caller.ts'
import { FairQueue, type QueuedJob, type QueueOptions } from './fair-queue.ts'

interface Turn extends QueuedJob {
  begin(): void
}

export interface TurnOptions extends QueueOptions {
  atOnceMax: number
}

/** Runs work in the caller's own request when its turn comes. A failure rejects only its own caller. */
export class FairTurns {
  readonly #queue: FairQueue<Turn>
  #free: number

  constructor({ atOnceMax, ...options }: TurnOptions) {
    this.#queue = new FairQueue(options)
    this.#free = atOnceMax
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
    const turn = await new Promise<Turn>((resolve, reject) => {
      const waiting: Turn = { caller, costMs, reject, begin: () => resolve(waiting) }
      this.#queue.add(waiting, signal, () => {})
      this.#startNext()
    })
    const startedMs = performance.now()
    try {
      return await work()
    } finally {
      this.#free++
      this.#queue.settle(turn, performance.now() - startedMs)
      this.#startNext()
    }
  }

  #startNext(): void {
    if (this.#free === 0) return
    const turn = this.#queue.take()
    if (!turn) return
    this.#free--
    turn.begin()
  }
}
