/** Runs stored analyses in the background: fair between companies, safe across restarts, with a limited number of attempts. */

import { collectionLost } from '../analyses/identification/search.ts'
import { AppError } from '../errors.ts'
import { keepBlobs } from '../storage/blobs/blob-ledger.ts'
import type { Queries } from '../storage/database.ts'
import type { AnalysisStore } from '../storage/folders/analysis-store.ts'
import type { Job, JobStore } from '../storage/folders/job-store.ts'
import type { Announcement } from '../storage/folders/recompute-result.ts'
import type { EngineResponses } from './engine-responses.ts'
import { type KeptMedia, mediumLost } from './kept-media.ts'
import type { Processor } from './processor.ts'
import type { RecordFiles } from './record-files.ts'

export interface RunnerDeps {
  processor: Pick<Processor, 'run'>
  keptMedia: KeptMedia
  jobs: JobStore
  analyses: AnalysisStore
  files: RecordFiles
  engineResponses: EngineResponses
  /** Attempts per analysis, the first one included. */
  attemptsMax: number
  /** Time between a failed attempt and the next one. */
  attemptDelayMs: number
  /** Time after which an analysis is free for other runners, unless its runner extends the lease. */
  leaseMs: number
  /** Maximum number of analyses that run at the same time. */
  atOnceMax: number
  /** Time between two checks for analyses that have become due or were left by another process. */
  pollMs: number
  nowMs(): number
  randomId(): string
  /** Called with failures that are retried. */
  onError(error: unknown): void
  /** Called when an analysis has ended. */
  onEnded(): void
}

/** Another worker has taken the analysis, or personal data of its folder was removed. */
const leaseLost = new AppError('not_allowed', 'the analysis no longer belongs to this worker')

/** Errors that another attempt cannot change. */
const isFinal = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'media_unreadable' || error.code === 'media_unsupported')

/**
 * Carries out analyses that are stored as rows. Any number of runners may share a database: an analysis belongs to the runner
 * that holds its lease, and another one takes it over when the lease has expired. Companies take turns.
 *
 * A failed analysis is tried `attemptsMax` times. `media_unreadable` and `media_unsupported` end it at once, as does a medium or
 * collection that no longer exists; `overloaded` costs no attempt. No method rejects because of an analysis: failures go to
 * `onError`, and the record of the analysis has its outcome.
 * @example
 * ```ts
 * import { openTestDatabase } from '../../test/fixtures/database.ts'
 * import { keepFolders } from '../../test/fixtures/kept-folders.ts'
 * import { AnalysisRunner } from './analysis-runner.ts'
 *
 * const { database, close } = await openTestDatabase()
 * const { parts, keptMedia, company, folder, start } = keepFolders(database)
 * const submitted = await folder(await company('Example'))
 * await start(submitted)
 *
 * await new Promise<void>((onEnded, onError) => {
 *   const limits = { attemptsMax: 3, attemptDelayMs: 30_000, leaseMs: 60_000, atOnceMax: 2, pollMs: 1000 }
 *   const told = { onError, onEnded: () => onEnded(runner.stop()) }
 *   const runner = new AnalysisRunner({ ...parts, ...limits, ...told, keptMedia: keptMedia() })
 *   runner.start()
 * })
 * const { result } = (await parts.folders.find(submitted.id))!
 * result.systemResolution // → 'SUCCESS'
 * await close()
 * ```
 */
export class AnalysisRunner {
  readonly #deps: RunnerDeps
  readonly #worker: string
  readonly #running = new Set<Promise<void>>()
  /** When each company was last served; companies that were never served come first. */
  readonly #served = new Map<string | null, number>()
  readonly #perCompany = new Map<string | null, number>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isLooking = false
  #looked: Promise<void> = Promise.resolve()
  #isWoken = false
  #isStopped = false

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    this.#worker = deps.randomId()
  }

  /** Checks for work now and every `pollMs` from then on. */
  start(): void {
    this.wake()
  }

  /** Checks for work now; called after analyses were added. */
  wake(): void {
    this.#isWoken = true
    if (!this.#isLooking) this.#looked = this.#look()
  }

  /** Starts nothing more, and resolves when the running analyses have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#looked
    await Promise.all(this.#running)
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    clearTimeout(this.#timer)
    try {
      while (this.#isWoken && !this.#isStopped) {
        this.#isWoken = false
        while (this.#running.size < this.#deps.atOnceMax && !this.#isStopped) {
          const job = await this.#next()
          if (!job) break
          this.#begin(job)
        }
      }
    } catch (error) {
      this.#deps.onError(error)
    }
    this.#isLooking = false
    if (this.#isStopped) return
    this.#timer = setTimeout(() => this.wake(), this.#deps.pollMs)
  }

  /** A job of the company with the fewest running jobs; among equals, of the company served longest ago. */
  async #next(): Promise<Job | null> {
    const { jobs, nowMs, leaseMs, attemptDelayMs } = this.#deps
    const horizonMs = Math.max(leaseMs, attemptDelayMs)
    const waiting = await jobs.waiting(nowMs(), horizonMs)
    const rank = (companyId: string | null) => this.#perCompany.get(companyId) ?? 0
    const last = (companyId: string | null) => this.#served.get(companyId) ?? 0
    waiting.sort((a, b) => rank(a) - rank(b) || last(a) - last(b))
    for (const companyId of waiting) {
      const job = await jobs.take(companyId, this.#worker, nowMs(), leaseMs, horizonMs)
      if (job) return job
    }
    return null
  }

  #begin(job: Job): void {
    const { companyId } = job
    this.#served.set(companyId, this.#deps.nowMs())
    this.#perCompany.set(companyId, (this.#perCompany.get(companyId) ?? 0) + 1)
    const run = this.#run(job).finally(() => {
      this.#running.delete(run)
      const left = (this.#perCompany.get(companyId) ?? 1) - 1
      if (left > 0) this.#perCompany.set(companyId, left)
      else this.#perCompany.delete(companyId)
      this.wake()
    })
    this.#running.add(run)
  }

  /** Never rejects: a job whose failure cannot be stored runs again when its lease has expired. */
  async #run(job: Job): Promise<void> {
    const { jobs, leaseMs, nowMs, onError, onEnded } = this.#deps
    const heartbeat = setInterval(() => {
      jobs.extend(job, nowMs() + leaseMs).catch(onError)
    }, leaseMs / 3)
    try {
      await this.#work(job).catch((error: unknown) => this.#fail(job, error))
      onEnded()
    } catch (error) {
      onError(error)
    } finally {
      clearInterval(heartbeat)
    }
  }

  async #work(job: Job): Promise<void> {
    const { analyses, jobs, keptMedia, processor, files, engineResponses } = this.#deps
    const placed = await analyses.find(job.analysisId)
    if (!placed) return
    const { folder, analysis } = placed
    const media = new Map(folder.media.map((medium) => [medium.id, medium]))
    if (analysis.media.some(({ mediumId }) => !media.has(mediumId))) throw mediumLost
    const open = await analyses.listOpen(folder.id)
    const decided = await processor.run(analysis, folder.id, (id) =>
      keptMedia.assess(folder, media.get(id)!, open),
    )
    const responses = await engineResponses(folder, decided)
    await files.write(responses, async (keys) => {
      const keep = (queries: Queries) => keepBlobs(queries, keys)
      const isStored = await jobs.finish(job, folder.id, decided, this.#announcement(), keep)
      // The files of a result that is not stored are removed at once.
      if (!isStored && keys.length > 0) throw leaseLost
    })
  }

  async #fail(job: Job, error: unknown): Promise<void> {
    const { jobs, attemptsMax, attemptDelayMs, nowMs, onError } = this.#deps
    if (error === leaseLost) return
    const announcement = this.#announcement()
    if (error === mediumLost) return jobs.giveUp(job, 'mediumLost', announcement)
    if (error === collectionLost) return jobs.giveUp(job, 'collectionLost', announcement)
    onError(error)
    // A full queue is not the fault of the analysis: it waits without losing an attempt.
    if (error instanceof AppError && error.code === 'overloaded') return jobs.giveBack(job, nowMs() + 1000)
    if (isFinal(error) || job.attempt >= attemptsMax) return jobs.giveUp(job, 'attemptsSpent', announcement)
    return jobs.retry(job, nowMs() + attemptDelayMs)
  }

  #announcement(): Announcement {
    return { eventId: this.#deps.randomId(), nowMs: this.#deps.nowMs() }
  }
}
