/** A pool of workers that assess media: bounded and fair queue, time limit per medium, replacement of lost workers. */
import { AppError, type ErrorCode } from '../errors.ts'
import { estimateCostMs } from '../media/media-cost.ts'
import type { Assessment, Wanted } from './assessment.ts'
import { type Assessor, type AssessorHealth, callerGone } from './assessor.ts'
import { type Waiting, WaitingLine } from './waiting-line.ts'

export interface WorkerTask {
  bytes: Uint8Array
  wanted: Wanted
}

export type WorkerAnswer =
  | { kind: 'ready' }
  | { kind: 'assessed'; assessment: Assessment }
  | { kind: 'refused'; code: ErrorCode; message: string; cause: string | null }

/** One worker as the pool sees it, whatever thread or process it is. */
export interface WorkerHandle {
  post(task: WorkerTask): void
  terminate(): Promise<unknown>
}

export interface WorkerEvents {
  answer(answer: WorkerAnswer): void
  /** The worker is gone: it crashed, or could not start. */
  lost(cause: unknown): void
}

export interface PoolOptions {
  workers: number
  /** Media that may wait; one more is refused, or displaces one of a caller who waits for more. */
  waitingMax: number
  /** A medium that takes longer is given up and its worker replaced. */
  taskTimeoutMs: number
  /** How long a worker may take to load its models. */
  startTimeoutMs: number
  startWorker(events: WorkerEvents): WorkerHandle
  onLost?(cause: unknown): void
}

interface Job extends WorkerTask, Waiting {
  /** How often a worker was lost over this job. */
  losses: number
  resolve(assessment: Assessment): void
  reject(error: AppError): void
}

interface Slot {
  handle: WorkerHandle | null
  ready: boolean
  job: Job | null
  /** When its job began. */
  begunMs: number
  timer: ReturnType<typeof setTimeout> | undefined
  /** Counts the workers of this slot, so that late events of a replaced one are not taken for the new one's. */
  generation: number
  failedStarts: number
  /** Why the last worker of this slot was lost. */
  lastLoss: string
}

const restartDelayMaxMs = 30_000

export class AssessorPool implements Assessor {
  readonly #options: PoolOptions
  readonly #slots: Slot[]
  readonly #waiting = new WaitingLine<Job>()
  #replaced = 0
  #closing = false
  #closed: (() => void) | null = null
  /** Callers that wait for a worker to become ready or be lost. */
  readonly #onChange: (() => void)[] = []

  constructor(options: PoolOptions) {
    this.#options = options
    this.#slots = Array.from({ length: options.workers }, () => ({
      handle: null,
      ready: false,
      job: null,
      begunMs: 0,
      timer: undefined,
      generation: 0,
      failedStarts: 0,
      lastLoss: '',
    }))
    for (const slot of this.#slots) this.#start(slot)
  }

  assess(bytes: Uint8Array, wanted: Wanted, signal?: AbortSignal, caller = ''): Promise<Assessment> {
    if (signal?.aborted) return Promise.reject(callerGone())
    if (this.#closing) return Promise.reject(new AppError('overloaded', 'The server is shutting down'))
    if (this.#isBroken())
      return Promise.reject(new AppError('engine_unavailable', 'no worker can be started'))
    return new Promise((resolve, reject) => {
      const costMs = estimateCostMs(bytes)
      const job: Job = { bytes, wanted, caller, costMs, losses: 0, resolve, reject }
      if (!this.#makeRoom(job)) {
        reject(new AppError('overloaded', 'Too many media are waiting'))
        return
      }
      signal?.addEventListener('abort', () => this.#forget(job), { once: true })
      this.#waiting.add(job, performance.now())
      this.#dispatch()
    })
  }

  /** Where the queue is full, whoever waits for most gives way. */
  #makeRoom(job: Job): boolean {
    if (this.#waiting.length < this.#options.waitingMax) return true
    const displaced = this.#waiting.displacedBy(job)
    if (!displaced) return false
    this.#waiting.remove(displaced)
    displaced.reject(new AppError('overloaded', 'Too many media are waiting'))
    return true
  }

  /**
   * Resolves when every worker is ready to work.
   * @throws {AppError} `engine_unavailable` when a worker cannot be started
   */
  async ready(): Promise<void> {
    while (this.#slots.some(({ ready }) => !ready)) {
      const failed = this.#slots.find(({ failedStarts }) => failedStarts > 0)
      if (failed) throw new AppError('engine_unavailable', `no worker can be started: ${failed.lastLoss}`)
      await new Promise<void>((resolve) => this.#onChange.push(resolve))
    }
  }

  health(): AssessorHealth {
    return {
      ready: this.#slots.filter(({ ready }) => ready).length,
      workers: this.#options.workers,
      waiting: this.#waiting.length,
      waitingMax: this.#options.waitingMax,
      replaced: this.#replaced,
    }
  }

  async close(): Promise<void> {
    this.#closing = true
    await new Promise<void>((resolve) => {
      this.#closed = resolve
      this.#settleClosing()
    })
    await Promise.all(
      this.#slots.map(async (slot) => {
        slot.generation++
        clearTimeout(slot.timer)
        await slot.handle?.terminate()
      }),
    )
  }

  /** No worker has ever been ready since the last failed start of each slot. */
  #isBroken(): boolean {
    return this.#slots.every(({ ready, failedStarts }) => !ready && failedStarts > 0)
  }

  #changed(): void {
    for (const resolve of this.#onChange.splice(0)) resolve()
  }

  #settleClosing(): void {
    const idle = this.#waiting.length === 0 && this.#slots.every(({ job }) => !job)
    if (this.#closing && idle) this.#closed?.()
  }

  #forget(job: Job): void {
    if (!this.#waiting.remove(job)) return
    job.reject(callerGone())
    this.#settleClosing()
  }

  #start(slot: Slot): void {
    const generation = ++slot.generation
    const current = () => slot.generation === generation
    slot.ready = false
    slot.timer = setTimeout(
      () => this.#lose(slot, new Error('the worker did not get ready in time')),
      this.#options.startTimeoutMs,
    )
    try {
      slot.handle = this.#options.startWorker({
        answer: (answer) => current() && this.#answer(slot, answer),
        lost: (cause) => current() && this.#lose(slot, cause),
      })
    } catch (cause) {
      queueMicrotask(() => current() && this.#lose(slot, cause))
    }
  }

  #answer(slot: Slot, answer: WorkerAnswer): void {
    clearTimeout(slot.timer)
    if (answer.kind === 'ready') {
      slot.ready = true
      slot.failedStarts = 0
      this.#changed()
    } else if (answer.kind === 'refused' && answer.code === 'engine_unavailable') {
      // A runtime that failed once may fail for ever: a new worker is cheaper than finding out.
      this.#lose(slot, new Error(answer.message, { cause: answer.cause }))
      return
    } else {
      const job = this.#release(slot)
      if (answer.kind === 'assessed') job?.resolve(answer.assessment)
      else job?.reject(new AppError(answer.code, answer.message, answer.cause ? { cause: answer.cause } : {}))
    }
    this.#dispatch()
    this.#settleClosing()
  }

  /** Replaces a worker; its job gets one more try, in case the loss was not the job's fault. */
  #lose(slot: Slot, cause: unknown): void {
    clearTimeout(slot.timer)
    this.#options.onLost?.(cause)
    const { ready, handle } = slot
    const job = this.#release(slot)
    slot.generation++
    slot.handle = null
    slot.ready = false
    void handle?.terminate()
    this.#replaced++
    if (job) this.#retry(job, cause)
    slot.failedStarts = ready ? 0 : slot.failedStarts + 1
    slot.lastLoss = cause instanceof Error ? cause.message : String(cause)
    this.#changed()
    if (this.#isBroken()) this.#rejectWaiting(cause)
    this.#settleClosing()
    const delay = slot.failedStarts === 0 ? 0 : Math.min(restartDelayMaxMs, 250 * 2 ** slot.failedStarts)
    slot.timer = setTimeout(() => this.#start(slot), delay)
  }

  #retry(job: Job, cause: unknown): void {
    job.losses++
    if (job.losses < 2) this.#waiting.addFirst(job)
    else job.reject(new AppError('media_unreadable', 'The medium cannot be processed', { cause }))
  }

  #rejectWaiting(cause: unknown): void {
    for (const job of this.#waiting.clear()) {
      job.reject(new AppError('engine_unavailable', 'no worker can be started', { cause }))
    }
  }

  /** Takes the job from a slot; its caller pays for the time it took. */
  #release(slot: Slot): Job | null {
    const { job } = slot
    slot.job = null
    if (job) this.#waiting.settle(job, performance.now() - slot.begunMs)
    return job
  }

  #dispatch(): void {
    for (const slot of this.#slots) {
      if (!slot.ready || slot.job || !slot.handle) continue
      const job = this.#waiting.take()
      if (!job) return
      slot.job = job
      slot.begunMs = performance.now()
      slot.timer = setTimeout(() => this.#giveUp(slot), this.#options.taskTimeoutMs)
      slot.handle.post({ bytes: job.bytes, wanted: job.wanted })
    }
  }

  /** A medium that takes too long would take too long again: no second try. */
  #giveUp(slot: Slot): void {
    const job = this.#release(slot)
    job?.reject(new AppError('media_unreadable', 'The medium takes too long to process'))
    this.#lose(slot, new Error('the time limit of a medium was reached'))
  }
}
