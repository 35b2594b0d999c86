/** A queue of jobs with bounded length and waiting time that is fair between callers. */
import { AppError } from '../errors.ts'
import { FairScheduler, type Place, type Waiting } from './fair-scheduler.ts'

export interface QueuedJob extends Waiting {
  reject(error: AppError): void
}

export interface QueueOptions {
  /** Maximum number of waiting jobs; a further one is refused, or displaces the one that would be served last. */
  waitingMax: number
  /** Maximum waiting time of a job. */
  waitMaxMs: number
  /** Message of the error for refused jobs. */
  busy: string
}

/** The error for jobs whose caller has disconnected; nobody receives it. */
const callerGone = (): AppError => new AppError('overloaded', 'The caller has gone')

export class FairQueue<Job extends QueuedJob> {
  readonly #options: QueueOptions
  readonly #line: FairScheduler<Job>
  /** Clears timer and abort listener of a waiting job. */
  readonly #clearWaits = new Map<Job, () => void>()

  /** @param mayRunBeside which jobs may be taken beside the others; default: all */
  constructor(options: QueueOptions, mayRunBeside: (job: Job) => boolean = () => true) {
    this.#options = options
    this.#line = new FairScheduler({ patienceMaxMs: options.waitMaxMs / 2, mayRunBeside })
  }

  get waiting(): number {
    return this.#line.length
  }

  /**
   * Adds a job, or rejects it. If the queue is full, the job that would be served last is rejected.
   * @param onLeft called if the job leaves the queue without being taken
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

  /** Puts a job back to the front of its caller's jobs. */
  putBack(job: Job): void {
    this.#line.addFirst(job)
  }

  /** Takes the next job for a place; `null` if there is none. Call `settle` when it is done. */
  take(place: Place = 'ordinary'): Job | null {
    const job = this.#line.take(place)
    if (job) this.#clearWait(job)
    return job
  }

  /** @param spentMs time spent on the job, charged to its caller */
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
