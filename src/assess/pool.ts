/** A pool of workers that assess media: bounded and fair queue, time limit per medium, replacement of crashed workers. */
import { AppError, type ErrorCode } from '../errors.ts'
import type { OpenedMedium } from '../media/opened-medium.ts'
import type { Caller } from '../queue/caller.ts'
import { FairQueue, type QueuedJob } from '../queue/fair-queue.ts'
import type { Place } from '../queue/fair-scheduler.ts'
import type { Assessment, AssessmentRequest } from './assessment.ts'
import { type Assessor, type AssessorHealth, tooManyMedia, unattributed } from './assessor.ts'
import { type CostLimits, cheapMaxMs, estimateCostMs } from './media-cost.ts'

/** One medium for a worker. The handle may transfer a copy of its bytes, never the buffer itself: a task is posted again after a crash. */
export interface WorkerTask {
  medium: OpenedMedium
  wanted: AssessmentRequest
}

/**
 * `ready` once, when the networks are loaded and have assessed a drawn portrait; then one answer per task. `refused` rejects the
 * caller with an `AppError` of that code, except that after `engine_unavailable` the worker counts as crashed.
 */
export type WorkerAnswer =
  | {
      kind: 'ready'
      /** Where its work is accounted for, for whoever starts it. */
      account: string | null
    }
  | { kind: 'assessed'; assessment: Assessment }
  | {
      kind: 'refused'
      code: ErrorCode
      message: string
      details: AppError['details']
      cause: string | null
    }

const toAppError = ({
  code,
  message,
  details,
  cause,
}: Extract<WorkerAnswer, { kind: 'refused' }>): AppError =>
  new AppError(code, message, { ...(details ? { details } : {}), ...(cause ? { cause } : {}) })

/** A worker as the pool sees it, independent of the kind of thread or process. */
export interface WorkerHandle {
  /** Gives the worker its next medium. Called only while it is ready and idle. */
  post(task: WorkerTask): void
  /** Milliseconds that it has worked; while it works, no more than have passed. Where that cannot be known, those that have passed. */
  workedMs(): number
  /** Ends the worker, whatever it is doing. */
  terminate(): Promise<unknown>
}

/** What a worker reports to the pool. Reports of a worker that was replaced are ignored. */
export interface WorkerEvents {
  onAnswer(answer: WorkerAnswer): void
  /** The worker crashed or could not start. */
  onCrash(cause: unknown): void
}

export interface PoolOptions extends CostLimits {
  /** One more is started for the first expensive medium: it takes cheap media while expensive ones occupy the others. */
  workers: number
  /** Maximum number of waiting media; a further one is refused, or displaces the one that would be served last. */
  waitingMax: number
  /** Maximum waiting time of a medium. */
  waitMaxMs: number
  /** How long a worker may work on a medium; when it is exceeded, the medium is refused and the worker replaced. */
  taskTimeoutMs: number
  /** Time limit for a worker to get ready. */
  startTimeoutMs: number
  /**
   * Time without work after which a worker that has assessed something large is replaced, and the additional one ends. Memory of WebAssembly
   * never shrinks, and what threads have freed stays with the process.
   */
  restMs: number
  /** Starts one worker, at once or later; if it throws, the worker counts as crashed. */
  startWorker(events: WorkerEvents): WorkerHandle
  /** Called for each crashed worker, before its replacement starts. */
  onLost?(cause: unknown): void
}

interface Job extends WorkerTask, QueuedJob {
  /** Number of workers that crashed while running this job. */
  losses: number
  resolve(assessment: Assessment): void
}

interface Slot {
  isStarted: boolean
  handle: WorkerHandle | null
  ready: boolean
  job: Job | null
  /** Start time of its job. */
  startedMs: number
  /** How long its worker had worked before its job. */
  workedBeforeMs: number
  timer: ReturnType<typeof setTimeout> | undefined
  /** Whether its worker has assessed something large. */
  isGrown: boolean
  restTimer: ReturnType<typeof setTimeout> | undefined
  /** Counts the workers of this slot, so that late events of a replaced worker are ignored. */
  generation: number
  /** Whether its worker was given a medium. */
  isUsed: boolean
  /** Number of workers that ended before they were given a medium, since the last one that finished one. */
  failedStarts: number
  /** Why the last worker of this slot crashed. */
  lastLoss: string
}

const restartDelayMaxMs = 30_000
/** A worker that has a medium gets this share of a processor on any machine that serves at all, or it waits for what never comes. */
const workedShareMin = 0.02
const isCheap = ({ costMs }: Job): boolean => costMs <= cheapMaxMs
/** Clips, archives and very large pictures, and documents, whose networks are loaded for them. */
const isLarge = (job: Job): boolean => !isCheap(job) || job.wanted.document !== undefined

const openSlot = (): Slot => ({
  isStarted: false,
  handle: null,
  ready: false,
  job: null,
  startedMs: 0,
  workedBeforeMs: 0,
  timer: undefined,
  isGrown: false,
  restTimer: undefined,
  generation: 0,
  isUsed: false,
  failedStarts: 0,
  lastLoss: '',
})

/**
 * Assesses media in `workers` workers, each one medium at a time, in the order of `FairQueue`. If a worker crashes, its medium is
 * retried once. A medium that crashes two workers or exceeds `taskTimeoutMs` is refused as `media_unprocessable`. Crashed workers
 * are replaced; after those that end before their first medium, with a growing delay (0.5 to 30 s). Memory comes back after `restMs`.
 * @example
 * ```ts
 * import { assessPhoto } from '../../test/fixtures/networks.ts'
 * import { portrait } from '../../test/fixtures/portraits.ts'
 * import { openMedium } from '../media/opened-medium.ts'
 * import type { Assessment } from './assessment.ts'
 * import { AssessorPool } from './pool.ts'
 *
 * const pool = new AssessorPool({
 *   workers: 1,
 *   waitingMax: 100,
 *   waitMaxMs: 40_000,
 *   taskTimeoutMs: 20_000,
 *   clipMaxS: 10,
 *   startTimeoutMs: 60_000,
 *   restMs: 45_000,
 *   // A server starts a thread here.
 *   startWorker({ onAnswer, onCrash }) {
 *     queueMicrotask(() => onAnswer({ kind: 'ready', account: null }))
 *     const done = (assessment: Assessment) => onAnswer({ kind: 'assessed', assessment })
 *     return {
 *       post: ({ medium, wanted }) => void assessPhoto(medium.bytes, wanted).then(done, onCrash),
 *       workedMs: () => performance.now(),
 *       async terminate() {},
 *     }
 *   },
 * })
 * await pool.ready()
 * const wanted = { faces: true, pad: false, template: false, bestShot: false }
 * const { faces } = await pool.assess(openMedium(await portrait('redhead')), wanted)
 * faces.length // → 1
 * await pool.close()
 * ```
 */
export class AssessorPool implements Assessor {
  readonly #options: PoolOptions
  readonly #slots: Slot[]
  /** An additional slot for cheap media, which would otherwise wait for expensive ones. */
  #spareSlot: Slot
  /** Starts beside the slot that it replaces. One at a time, since both hold memory meanwhile. */
  #successor: { of: Slot; slot: Slot } | null = null
  readonly #queue: FairQueue<Job>
  #replaced = 0
  #closing = false
  #closed: (() => void) | null = null
  /** Callers of `ready` that wait for a worker to become ready or crash. */
  readonly #onChange: (() => void)[] = []

  constructor(options: PoolOptions) {
    this.#options = options
    this.#queue = new FairQueue({ ...options, busy: tooManyMedia }, isCheap)
    this.#slots = Array.from({ length: options.workers }, openSlot)
    this.#spareSlot = openSlot()
    for (const slot of this.#slots) this.#start(slot)
  }

  get #allSlots(): readonly Slot[] {
    return [...this.#slots, this.#spareSlot, ...(this.#successor ? [this.#successor.slot] : [])]
  }

  assess(
    medium: OpenedMedium,
    wanted: AssessmentRequest,
    signal?: AbortSignal,
    caller: Caller = unattributed,
  ): Promise<Assessment> {
    if (this.#closing) return Promise.reject(new AppError('overloaded', 'The server is shutting down'))
    if (this.#isBroken())
      return Promise.reject(new AppError('engine_unavailable', 'no worker can be started'))
    return new Promise((resolve, reject) => {
      const costMs = estimateCostMs(medium, this.#options)
      const job: Job = { medium, wanted, caller, costMs, losses: 0, resolve, reject }
      this.#queue.add(job, signal, () => this.#finishClosing())
      if (!isCheap(job) && !this.#spareSlot.isStarted) this.#start(this.#spareSlot)
      this.#dispatch()
    })
  }

  /**
   * Resolves when every worker is ready.
   * @throws {AppError} `engine_unavailable` if a worker cannot be started
   */
  async ready(): Promise<void> {
    while (this.#slots.some(({ ready }) => !ready)) {
      const failed = this.#slots.find(({ ready, failedStarts }) => !ready && failedStarts > 0)
      if (failed) throw new AppError('engine_unavailable', `no worker can be started: ${failed.lastLoss}`)
      await new Promise<void>((resolve) => this.#onChange.push(resolve))
    }
  }

  health(): AssessorHealth {
    return {
      ready: this.#slots.filter(({ ready }) => ready).length,
      workers: this.#options.workers,
      waiting: this.#queue.waiting,
      waitingMax: this.#options.waitingMax,
      replaced: this.#replaced,
    }
  }

  async close(): Promise<void> {
    this.#closing = true
    await new Promise<void>((resolve) => {
      this.#closed = resolve
      this.#finishClosing()
    })
    await Promise.all(this.#allSlots.map((slot) => this.#end(slot)))
  }

  /** True if no slot has a worker, and the last one of each ended before its first medium. */
  #isBroken(): boolean {
    return this.#slots.every(({ ready, failedStarts }) => !ready && failedStarts > 0)
  }

  #notifyWaiting(): void {
    for (const resolve of this.#onChange.splice(0)) resolve()
  }

  #finishClosing(): void {
    const idle = this.#queue.waiting === 0 && this.#allSlots.every(({ job }) => !job)
    if (this.#closing && idle) this.#closed?.()
  }

  async #end(slot: Slot): Promise<void> {
    slot.generation++
    clearTimeout(slot.timer)
    clearTimeout(slot.restTimer)
    await slot.handle?.terminate()
  }

  #awaitRest(slot: Slot, restMs = this.#options.restMs): void {
    clearTimeout(slot.restTimer)
    const isTooMuch = slot.isGrown || slot === this.#spareSlot
    if (!isTooMuch || slot.job || this.#closing) return
    slot.restTimer = setTimeout(() => this.#renew(slot), restMs)
    ;(slot.restTimer as { unref?(): unknown }).unref?.()
  }

  /** Gives the memory of a slot back, whose worker serves until its successor is ready. */
  #renew(slot: Slot): void {
    if (slot === this.#spareSlot && !this.#hasExpensiveJob()) {
      this.#spareSlot = openSlot()
      void this.#end(slot)
    } else if (slot === this.#spareSlot || this.#successor) {
      this.#awaitRest(slot, this.#options.restMs / 10)
    } else {
      this.#successor = { of: slot, slot: openSlot() }
      this.#start(this.#successor.slot)
    }
  }

  /** The successor is ready: it takes the place of a slot that still rests. */
  #succeed({ of, slot }: { of: Slot; slot: Slot }): void {
    this.#successor = null
    const isResting = !of.job && !this.#closing
    if (isResting) this.#slots[this.#slots.indexOf(of)] = slot
    void this.#end(isResting ? of : slot)
  }

  #start(slot: Slot): void {
    const generation = ++slot.generation
    const isCurrent = () => slot.generation === generation
    slot.isStarted = true
    slot.isUsed = false
    slot.ready = false
    slot.timer = setTimeout(
      () => this.#handleCrash(slot, new Error('the worker did not get ready in time')),
      this.#options.startTimeoutMs,
    )
    try {
      slot.handle = this.#options.startWorker({
        onAnswer: (answer) => isCurrent() && this.#handleAnswer(slot, answer),
        onCrash: (cause) => isCurrent() && this.#handleCrash(slot, cause),
      })
    } catch (cause) {
      queueMicrotask(() => isCurrent() && this.#handleCrash(slot, cause))
    }
  }

  #handleAnswer(slot: Slot, answer: WorkerAnswer): void {
    clearTimeout(slot.timer)
    if (answer.kind === 'ready') {
      slot.ready = true
      if (slot === this.#successor?.slot) this.#succeed(this.#successor)
      this.#awaitRest(slot)
      this.#notifyWaiting()
    } else if (answer.kind === 'refused' && answer.code === 'engine_unavailable') {
      // A runtime that failed once may fail forever: a new worker is cheaper than finding out.
      this.#handleCrash(slot, new Error(answer.message, { cause: answer.cause }))
      return
    } else {
      slot.failedStarts = 0
      const job = this.#release(slot)
      if (answer.kind === 'assessed') job?.resolve(answer.assessment)
      else job?.reject(toAppError(answer))
    }
    this.#dispatch()
    this.#finishClosing()
  }

  /** Replaces a worker. Its job is retried once, because the crash may have another cause. */
  #handleCrash(slot: Slot, cause: unknown): void {
    clearTimeout(slot.timer)
    this.#options.onLost?.(cause)
    if (slot === this.#successor?.slot) {
      // Its predecessor serves on. The next one starts after its next medium.
      this.#successor = null
      return void this.#end(slot)
    }
    const { handle } = slot
    const job = this.#release(slot)
    slot.generation++
    slot.handle = null
    slot.ready = false
    slot.isGrown = false
    clearTimeout(slot.restTimer)
    void handle?.terminate()
    this.#replaced++
    if (job) this.#retry(job, cause)
    // A worker is ready before it has warmed up. What ends it while it has a medium may be the medium.
    if (!slot.isUsed) slot.failedStarts++
    slot.lastLoss = cause instanceof Error ? cause.message : String(cause)
    this.#notifyWaiting()
    if (this.#isBroken())
      this.#queue.rejectAll(new AppError('engine_unavailable', 'no worker can be started', { cause }))
    this.#finishClosing()
    const delay = slot.failedStarts === 0 ? 0 : Math.min(restartDelayMaxMs, 250 * 2 ** slot.failedStarts)
    slot.timer = setTimeout(() => this.#start(slot), delay)
  }

  #retry(job: Job, cause: unknown): void {
    job.losses++
    if (job.losses < 2) this.#queue.putBack(job)
    else job.reject(new AppError('media_unprocessable', 'The medium cannot be processed', { cause }))
  }

  /** Takes the job from a slot and charges the time spent to its caller. */
  #release(slot: Slot): Job | null {
    const { job } = slot
    slot.job = null
    if (job) {
      this.#queue.settle(job, performance.now() - slot.startedMs)
      slot.isGrown ||= isLarge(job)
      this.#awaitRest(slot)
    }
    return job
  }

  #dispatch(): void {
    for (const slot of this.#slots) this.#dispatchTo(slot)
    if (this.#hasExpensiveJob()) this.#dispatchTo(this.#spareSlot, 'beside')
  }

  #hasExpensiveJob(): boolean {
    return this.#slots.some(({ job }) => job && !isCheap(job))
  }

  #dispatchTo(slot: Slot, place: Place = 'ordinary'): void {
    if (!slot.ready || slot.job || !slot.handle) return
    const job = this.#queue.take(place)
    if (!job) return
    slot.job = job
    slot.isUsed = true
    clearTimeout(slot.restTimer)
    slot.startedMs = performance.now()
    slot.workedBeforeMs = slot.handle.workedMs()
    this.#watch(slot, slot.handle, 0)
    slot.handle.post({ medium: job.medium, wanted: job.wanted })
  }

  /** Looks again when the worker may have worked for too long: on a busy machine that is later, unless it does not work at all. */
  #watch(slot: Slot, handle: WorkerHandle, workedMs: number): void {
    const leftMs = this.#options.taskTimeoutMs - workedMs
    slot.timer = setTimeout(() => {
      const nowMs = handle.workedMs() - slot.workedBeforeMs
      const isStuck = nowMs - workedMs < leftMs * workedShareMin
      if (isStuck || nowMs >= this.#options.taskTimeoutMs) this.#handleTimeout(slot)
      else this.#watch(slot, handle, nowMs)
    }, leftMs)
  }

  /** Refuses a medium that exceeds the time limit. No retry here: it would most likely take too long again. */
  #handleTimeout(slot: Slot): void {
    const job = this.#release(slot)
    job?.reject(new AppError('media_unprocessable', 'The medium takes too long to process'))
    this.#handleCrash(slot, new Error('the time limit of a medium was reached'))
  }
}
