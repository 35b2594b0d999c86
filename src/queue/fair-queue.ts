/** Work that waits for its turn: bounded in number and in time, and fair between those who ask for it. */
import { AppError } from '../errors.ts'
import { type Waiting, WaitingLine } from './waiting-line.ts'

export interface QueuedJob extends Waiting {
  reject(error: AppError): void
}

export interface QueueOptions {
  /** Jobs that may wait; one more is refused, or takes the place of the one that would be served last. */
  waitingMax: number
  /** How long a job waits at most. */
  waitMaxMs: number
  /** What is said to those who are refused. */
  busy: string
}

/** Why something was not done whose caller waits no more; nobody hears it. */
export const callerGone = (): AppError => new AppError('overloaded', 'The caller has gone')

export class FairQueue<Job extends QueuedJob> {
  readonly #options: QueueOptions
  readonly #line = new WaitingLine<Job>()
  /** What ends the waiting of a job. */
  readonly #clearWaits = new Map<Job, () => void>()

  constructor(options: QueueOptions) {
    this.#options = options
  }

  get waiting(): number {
    return this.#line.length
  }

  /**
   * Lets a job wait, or rejects it: where there is no room, whoever would be served last gives way.
   * @param onLeft told when a job stops waiting without being taken
   */
  add(job: Job, signal: AbortSignal | undefined, onLeft: () => void): void {
    const { waitingMax, waitMaxMs, busy } = this.#options
    const displaced = this.#line.length < waitingMax ? null : this.#line.findDisplaced(job)
    if (displaced) this.#removeAndReject(displaced, new AppError('overloaded', busy))
    if (signal?.aborted || this.#line.length >= waitingMax) {
      job.reject(signal?.aborted ? callerGone() : new AppError('overloaded', busy))
      return
    }
    const leave = (error: AppError) => {
      this.#removeAndReject(job, error)
      onLeft()
    }
    const timer = setTimeout(() => leave(new AppError('overloaded', busy)), waitMaxMs)
    const onAbort = () => leave(callerGone())
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#clearWaits.set(job, () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    })
    this.#line.add(job, performance.now())
  }

  #clearWait(job: Job): void {
    this.#clearWaits.get(job)?.()
    this.#clearWaits.delete(job)
  }

  #removeAndReject(job: Job, error: AppError): void {
    this.#clearWait(job)
    if (this.#line.remove(job)) job.reject(error)
  }

  /** Back to the front of what its caller waits for. */
  putBack(job: Job): void {
    this.#line.addFirst(job)
  }

  /** The next job of those that may run; `null` where none waits. It is to be settled when it is done. */
  take(mayRun?: (job: Job) => boolean): Job | null {
    const job = this.#line.take(mayRun)
    if (job) this.#clearWait(job)
    return job
  }

  /** @param spentMs what it took, to the charge of its caller */
  settle(job: Job, spentMs: number): void {
    this.#line.settle(job, spentMs)
  }

  rejectAll(error: AppError): void {
    for (const job of this.#line.clear()) {
      this.#clearWait(job)
      job.reject(error)
    }
  }
}
