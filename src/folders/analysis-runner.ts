/** Works off analyses in the background: fair between companies, restart-safe, each at most a few times. */

import { collectionLost } from '../analyses/identification/search.ts'
import type { Assessor } from '../assess/assessor.ts'
import { AppError } from '../errors.ts'
import { background } from '../queue/caller.ts'
import { KeyedMutex } from '../queue/mutex.ts'
import type { AnalysisRecord } from '../records/analysis.ts'
import type { FolderRecord } from '../records/folder.ts'
import { type MediumRecord, sampleFacts } from '../records/medium.ts'
import { keepBlobs } from '../storage/blobs/blob-ledger.ts'
import type { AnalysisStore } from '../storage/folders/analysis-store.ts'
import { covers } from '../storage/folders/findings.ts'
import type { Announcement } from '../storage/folders/folder-store.ts'
import type { Job, JobStore } from '../storage/folders/job-store.ts'
import type { MediumStore } from '../storage/folders/medium-store.ts'
import { type AssessedMedium, type DecidingDeps, decideAnalysis } from './decide-analysis.ts'
import { type KeepingDeps, writeWithBlobs } from './keep-media.ts'
import { modelsKey } from './models-key.ts'
import { wantedBy } from './plan-analyses.ts'
import { shotBlobs, shotFacts } from './received-medium.ts'

export interface RunnerDeps extends DecidingDeps, KeepingDeps {
  assessor: Assessor
  jobs: JobStore
  analyses: AnalysisStore
  media: MediumStore
  /** Attempts per analysis, the first one included. */
  attemptsMax: number
  /** Time between a failed attempt and the next one. */
  attemptDelayMs: number
  /** How long a worker keeps an analysis without a sign of life. */
  leaseMs: number
  /** Analyses at one time. */
  atOnceMax: number
  /** Media of one analysis are assessed at the same time. */
  isParallel: boolean
  /** Between two looks for what others left behind or has become due. */
  pollMs: number
  /** Told when something failed that is tried again. */
  onError(error: unknown): void
  /** Told when an analysis has ended. */
  onEnded(): void
}

/** What an analysis cannot get over by being tried again. */
const isFinal = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'media_unreadable' || error.code === 'media_unsupported')

const lost = new AppError('media_missing', 'a medium is no longer there')

/**
 * Carries out analyses that are stored as rows. Any number of runners may share a database: an analysis belongs to the runner
 * that holds its lease, and another one takes it over when the lease has expired. Companies take turns.
 *
 * A failed analysis is tried `attemptsMax` times. `media_unreadable` and `media_unsupported` end it at once, as does a medium or
 * collection that no longer exists; `overloaded` costs no attempt. No method rejects because of an analysis: `onError` is told
 * about failures, and the record of the analysis has its outcome.
 * @example
 * ```ts
 * import { openTestDatabase } from '../../test/fixtures/database.ts'
 * import { keepFolders } from '../../test/fixtures/kept-folders.ts'
 * import { AnalysisRunner } from './analysis-runner.ts'
 *
 * const { database, close } = await openTestDatabase()
 * const { parts, company, folder, start } = keepFolders(database)
 * const submitted = await folder(await company('Example'))
 * await start(submitted)
 *
 * await new Promise<void>((onEnded, onError) => {
 *   const runner = new AnalysisRunner({
 *     ...{ ...parts, attemptsMax: 3, attemptDelayMs: 30_000, leaseMs: 60_000, pollMs: 1000 },
 *     ...{ atOnceMax: 2, isParallel: false, onError, onEnded: () => onEnded(runner.stop()) },
 *   })
 *   runner.start()
 * })
 * const { result } = (await parts.folders.find(submitted.id))!
 * result.systemResolution // → 'SUCCESS'
 * await close()
 * ```
 */
export class AnalysisRunner {
  readonly #parts: RunnerDeps
  readonly #worker: string
  readonly #running = new Set<Promise<void>>()
  /** When each company was last served; who was never served comes first. */
  readonly #served = new Map<string | null, number>()
  readonly #perCompany = new Map<string | null, number>()
  /** By medium: of two analyses of one medium the later one finds what the earlier one has found. */
  readonly #byMedium = new KeyedMutex()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isLooking = false
  #looked: Promise<void> = Promise.resolve()
  #isWoken = false
  #isStopped = false

  constructor(parts: RunnerDeps) {
    this.#parts = parts
    this.#worker = parts.randomId()
  }

  /** Looks for work now and every `pollMs` from then on. */
  start(): void {
    this.wake()
  }

  /** Looks for work now; called after analyses were added. */
  wake(): void {
    this.#isWoken = true
    if (!this.#isLooking) this.#looked = this.#look()
  }

  /** Takes up nothing new and resolves when what runs has ended. */
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
        while (this.#running.size < this.#parts.atOnceMax && !this.#isStopped) {
          const job = await this.#next()
          if (!job) break
          this.#begin(job)
        }
      }
    } catch (error) {
      this.#parts.onError(error)
    }
    this.#isLooking = false
    if (this.#isStopped) return
    this.#timer = setTimeout(() => this.wake(), this.#parts.pollMs)
  }

  /** One job of the company that has the fewest at work, and of those of the one that was served longest ago. */
  async #next(): Promise<Job | null> {
    const { jobs, nowMs, leaseMs, attemptDelayMs } = this.#parts
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
    this.#served.set(companyId, this.#parts.nowMs())
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

  /** Never rejects: what cannot even be written down is taken up again when the lease is over. */
  async #run(job: Job): Promise<void> {
    const { jobs, leaseMs, nowMs, onError, onEnded } = this.#parts
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
    const { analyses, jobs } = this.#parts
    const placed = await analyses.find(job.analysisId)
    if (!placed) return
    const { folder, analysis } = placed
    const media = analysis.media.map(({ mediumId }) => {
      const medium = folder.media.find(({ id }) => id === mediumId)
      if (!medium) throw lost
      return medium
    })
    const open = await analyses.listOpen(folder.id)
    const assess = (medium: MediumRecord) =>
      this.#byMedium.run(medium.id, () => this.#assess(folder, medium, open))
    const assessed = await this.#assessAll(media, assess)
    const decided = await decideAnalysis(this.#parts, analysis, assessed, folder.id)
    await jobs.finish(job, folder.id, decided, this.#announcement())
  }

  async #assessAll(
    media: readonly MediumRecord[],
    assess: (medium: MediumRecord) => Promise<AssessedMedium>,
  ): Promise<AssessedMedium[]> {
    if (this.#parts.isParallel) return Promise.all(media.map(assess))
    const assessed: AssessedMedium[] = []
    for (const medium of media) assessed.push(await assess(medium))
    return assessed
  }

  /**
   * What was found in a medium: as it was kept, or found now and kept.
   * @param open analyses of the folder that have not ended; what they ask of the medium is found in one go
   */
  async #assess(
    { id: folderId, companyId }: Pick<FolderRecord, 'id' | 'companyId'>,
    record: MediumRecord,
    open: readonly AnalysisRecord[],
  ): Promise<AssessedMedium> {
    const { media, blobs, assessor, profile, profileName } = this.#parts
    const models = { key: modelsKey(profileName, profile), profile: profileName }
    const wanted = wantedBy(
      open.filter((analysis) => analysis.media.some(({ mediumId }) => mediumId === record.id)),
      record.tags,
    )
    const kept = await media.findings(record.id, models)
    if (kept && covers(kept, wanted))
      return { record, findings: kept.found, bestShot: kept.bestShot, actionShot: kept.actionShot }
    const bytes = record.files && (await blobs.read(record.files.original))
    if (!bytes) throw lost
    // What was found before is found again, so that what is kept only grows.
    const all = {
      faces: true,
      pad: wanted.pad || kept?.found.subject?.pad.status === 'assessed',
      template: wanted.template || kept?.found.subject?.template.status === 'extracted',
      bestShot: wanted.bestShot || Boolean(kept?.bestShot),
      ...(wanted.actionShot ? { actionShot: wanted.actionShot } : {}),
    }
    const assessment = await assessor.assess(bytes, all, undefined, background(companyId))
    const files = shotBlobs(folderId, record.id, assessment)
    const facts = shotFacts(assessment)
    const seen = { ...record, sample: sampleFacts(assessment) }
    const found = { mediumId: record.id, found: assessment, ...facts }
    await writeWithBlobs(this.#parts, files, async (keys) => {
      const isThere = await media.keepFindings(found, seen, models.key, (queries) => keepBlobs(queries, keys))
      if (!isThere) throw lost
    })
    return { record: seen, findings: assessment, ...facts }
  }

  async #fail(job: Job, error: unknown): Promise<void> {
    const { jobs, attemptsMax, attemptDelayMs, nowMs, onError } = this.#parts
    const announcement = this.#announcement()
    if (error === lost) return jobs.giveUp(job, 'mediumLost', announcement)
    if (error === collectionLost) return jobs.giveUp(job, 'collectionLost', announcement)
    onError(error)
    // A full queue is no fault of the analysis: it waits, and loses no attempt.
    if (error instanceof AppError && error.code === 'overloaded') return jobs.giveBack(job, nowMs() + 1000)
    if (isFinal(error) || job.attempt >= attemptsMax) return jobs.giveUp(job, 'attemptsSpent', announcement)
    return jobs.retry(job, nowMs() + attemptDelayMs)
  }

  #announcement(): Announcement {
    return { eventId: this.#parts.randomId(), nowMs: this.#parts.nowMs() }
  }
}
