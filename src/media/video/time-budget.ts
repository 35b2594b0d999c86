import { AppError } from '../../errors.ts'

/** Limits the decoding time of a clip; time that the reader spends between two frames does not count. */
export class TimeBudget {
  readonly #timeMaxMs: number
  #spentMs = 0
  #sinceMs: number | null = null

  constructor(timeMaxMs: number) {
    this.#timeMaxMs = timeMaxMs
  }

  /** Runs work and counts its time. */
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
   * Call it between two steps of the work; a running step is not interrupted.
   * @throws {AppError} `media_unreadable` if the time is up
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
  new AppError('media_unreadable', 'The video takes too long to decode; send a shorter or smaller one', {
    reason: 'too_costly',
  })
