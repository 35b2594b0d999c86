import { AppError } from '../../errors.ts'

/** Limits the work of decoding a clip; what the reader does between two frames does not count. */
export class TimeBudget {
  readonly #timeMaxMs: number
  readonly #workedMs: () => number
  #spentMs = 0
  #sinceMs: number | null = null

  /** @param workedMs milliseconds that this thread has worked */
  constructor(timeMaxMs: number, workedMs = () => performance.now()) {
    this.#timeMaxMs = timeMaxMs
    this.#workedMs = workedMs
  }

  /** Runs work and counts its time. */
  time<T>(work: () => T): T {
    this.#sinceMs = this.#workedMs()
    try {
      return work()
    } finally {
      this.#spentMs += this.#workedMs() - this.#sinceMs
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
    const runningMs = this.#sinceMs === null ? 0 : this.#workedMs() - this.#sinceMs
    return this.#timeMaxMs - this.#spentMs - runningMs
  }
}

export const outOfTime = (): AppError =>
  new AppError('media_unreadable', 'The video takes too long to decode; send a shorter or smaller one', {
    reason: 'too_costly',
  })
