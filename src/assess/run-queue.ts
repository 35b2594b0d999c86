import { AppError } from '../errors.ts'

/** Runs jobs one at a time. A failed job rejects its own caller and nobody else's. */
export class RunQueue {
  readonly #waitingMax: number
  #tail: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax
  }

  /** Jobs that run or wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** @throws {AppError} `overloaded` when the queue is full */
  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#waiting >= this.#waitingMax) throw new AppError('overloaded', 'Too many media are waiting')
    this.#waiting++
    const result = this.#tail.then(job)
    this.#tail = result
      .catch(() => {})
      .finally(() => {
        this.#waiting--
      })
    return result
  }
}
