import { AppError } from '../../errors.ts'

/** Bounds the time that a clip takes to decode; what its reader does between two frames does not count. */
export class TimeBudget {
  readonly #timeMaxMs: number
  #spentMs = 0
  #sinceMs: number | null = null

  constructor(timeMaxMs: number) {
    this.#timeMaxMs = timeMaxMs
  }

  /** Counts while the work runs. */
  time<T>(work: () => T): T {
    this.#sinceMs = performance.now()
    try {
      return work()
    } finally {
      this.#spentMs += performance.now() - this.#sinceMs
      this.#sinceMs = null
    }
  }

  /**
   * To be asked between two steps of the work, which is not broken off in the middle of one.
   * @throws {AppError} `media_unreadable` when the time is up
   */
  check(): void {
    if (this.leftMs() <= 0) throw outOfTime()
  }

  leftMs(): number {
    const runningMs = this.#sinceMs === null ? 0 : performance.now() - this.#sinceMs
    return this.#timeMaxMs - this.#spentMs - runningMs
  }
}

export const outOfTime = (): AppError =>
  new AppError('media_unreadable', 'The video takes too long to decode; send a shorter or smaller one')
