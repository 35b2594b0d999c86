/** The job queue: analyses that wait for a worker. Each is a row with a lease, so any replica can take it and none is lost. */
import {
  and,
  asc,
  between,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { type AnalysisRecord, abandonments } from '../../records/analysis.ts'
import { toEndedAnalysis } from '../../records/statistics.ts'
import type { Database, Queries } from '../database.ts'
import { analyses, folders } from '../schema.ts'
import { countAbandoned, countEnded, countedColumns } from '../statistics/count-ended.ts'
import { resultColumns, selectAnalyses, verdictColumns } from './folder-rows.ts'
import { type Announcement, recomputeFolderResult } from './recompute-result.ts'

/** An analysis that a worker has taken. */
export interface Job {
  analysisId: string
  companyId: string | null
  /** 1 at first. */
  attempt: number
  leasedBy: string
}

const isOpen = eq(analyses.state, 'PROCESSING')
const isHeldBy = ({ analysisId, leasedBy, attempt }: Job) =>
  and(eq(analyses.id, analysisId), isOpen, eq(analyses.leasedBy, leasedBy), eq(analyses.attempts, attempt))

const others = alias(analyses, 'others')

/** Whether a worker holds another analysis of the folder. The folders that are held are few, and are looked up once. */
const isFolderBusy = (nowMs: number, horizonMs: number): SQL =>
  sql`${analyses.folderNumber} in (select ${others.folderNumber} from ${analyses} as others where ${and(
    eq(others.state, 'PROCESSING'),
    isNotNull(others.leasedBy),
    between(others.dueAt, nowMs + 1, nowMs + horizonMs),
  )})`

async function abandon(
  queries: Queries,
  id: string,
  folderId: string,
  why: keyof typeof abandonments,
  announcement: Announcement,
): Promise<void> {
  const failure = { ...abandonments[why], mediumId: null }
  const failed = await queries
    .update(analyses)
    .set({
      ...verdictColumns({ outcome: { status: 'failed', failure }, operator: null }),
      dueAt: null,
      leasedBy: null,
      updatedAt: announcement.nowMs,
    })
    .where(eq(analyses.id, id))
    .returning(countedColumns)
  await countAbandoned(queries, failed, announcement.nowMs)
  await recomputeFolderResult(queries, folderId, announcement)
}

export interface JobLimits {
  /** Attempts per analysis; an analysis that used them all is skipped and expires. */
  attemptsMax: number
  /** Whether analyses of one folder may run at the same time. */
  isParallel: boolean
}

export class JobStore {
  readonly #database: Database
  readonly #attemptsMax: number
  readonly #isParallel: boolean

  constructor(database: Database, { attemptsMax, isParallel }: JobLimits) {
    this.#database = database
    this.#attemptsMax = attemptsMax
    this.#isParallel = isParallel
  }

  #isDue(nowMs: number, horizonMs: number) {
    const isTime = or(lte(analyses.dueAt, nowMs), gt(analyses.dueAt, nowMs + horizonMs))
    const isTurn = this.#isParallel ? undefined : not(isFolderBusy(nowMs, horizonMs))
    return and(isOpen, isTime, lt(analyses.attempts, this.#attemptsMax), isTurn)
  }

  /**
   * Companies with a due analysis.
   * @param horizonMs no lease or pause is longer; a later due time was written before the clock was set back
   */
  async waiting(nowMs: number, horizonMs: number): Promise<(string | null)[]> {
    const rows = await this.#database.read((queries) =>
      queries
        .selectDistinct({ companyId: analyses.companyId })
        .from(analyses)
        .where(this.#isDue(nowMs, horizonMs)),
    )
    return rows.map(({ companyId }) => companyId)
  }

  /** Takes the oldest due analysis of a company; `null` if other workers have taken all of them. */
  take(
    companyId: string | null,
    worker: string,
    nowMs: number,
    leaseMs: number,
    horizonMs: number,
  ): Promise<Job | null> {
    return this.#database.write(async (queries) => {
      const [due] = await queries
        .select({ id: analyses.id, attempts: analyses.attempts })
        .from(analyses)
        .where(
          and(
            this.#isDue(nowMs, horizonMs),
            companyId === null ? isNull(analyses.companyId) : eq(analyses.companyId, companyId),
          ),
        )
        .orderBy(asc(analyses.dueAt))
        .limit(1)
      if (!due) return null
      const attempt = due.attempts + 1
      await queries
        .update(analyses)
        .set({
          attempts: attempt,
          leasedBy: worker,
          dueAt: nowMs + leaseMs,
          startedAt: sql`coalesce(${analyses.startedAt}, ${nowMs})`,
        })
        .where(eq(analyses.id, due.id))
      return { analysisId: due.id, companyId, attempt, leasedBy: worker }
    })
  }

  /** Extends the lease of a job. @returns whether this worker still holds it */
  async extend(job: Job, untilMs: number): Promise<boolean> {
    const rows = await this.#database.write((queries) =>
      queries.update(analyses).set({ dueAt: untilMs }).where(isHeldBy(job)).returning({ id: analyses.id }),
    )
    return rows.length > 0
  }

  /**
   * Ends a job with its result. A worker that has lost its lease changes nothing, so an analysis ends only once.
   * @param also further writes of the same transaction, if the result is stored
   * @returns whether the result was stored
   */
  finish(
    job: Job,
    folderId: string,
    analysis: AnalysisRecord,
    announcement: Announcement,
    also: (queries: Queries) => Promise<void> = async () => {},
  ): Promise<boolean> {
    return this.#database.write(async (queries) => {
      const rows = await queries
        .update(analyses)
        .set({ ...resultColumns(analysis), dueAt: null, leasedBy: null })
        .where(isHeldBy(job))
        .returning({ id: analyses.id })
      if (rows.length === 0) return false
      const ended = toEndedAnalysis(analysis)
      await countEnded(queries, job.companyId, ended ? [ended] : [])
      await recomputeFolderResult(queries, folderId, announcement)
      await also(queries)
      return true
    })
  }

  /** Returns a job to the queue for another attempt at `atMs`. */
  async retry(job: Job, atMs: number): Promise<void> {
    await this.#database.write((queries) =>
      queries.update(analyses).set({ dueAt: atMs, leasedBy: null }).where(isHeldBy(job)),
    )
  }

  /** Returns a job that was not started: the attempt does not count. */
  async giveBack(job: Job, atMs: number): Promise<void> {
    await this.#database.write((queries) =>
      queries
        .update(analyses)
        .set({ dueAt: atMs, leasedBy: null, attempts: job.attempt - 1 })
        .where(isHeldBy(job)),
    )
  }

  /** Fails a job for good. */
  async giveUp(job: Job, why: keyof typeof abandonments, announcement: Announcement): Promise<void> {
    await this.#database.write(async (queries) => {
      const [row] = await selectAnalyses(queries, isHeldBy(job))
      if (row) await abandon(queries, job.analysisId, row.folderId, why, announcement)
    })
  }

  /** At the start of the only process of a database: frees the jobs that its predecessor held. */
  async freeAll(nowMs: number): Promise<void> {
    await this.#database.write((queries) =>
      queries
        .update(analyses)
        .set({ dueAt: nowMs, leasedBy: null })
        .where(and(isOpen, isNotNull(analyses.leasedBy))),
    )
  }

  /**
   * Fails analyses that were started or requested too long ago, and those without attempts left whose lease has ended.
   * @param limits `leasedAfter`: no lease ends later, unless it was written before the clock was set back
   * @returns the number of expired analyses
   */
  async expire(
    limits: { startedBefore: number; createdBefore: number; leasedAfter: number },
    announcements: () => Announcement,
  ): Promise<number> {
    const { startedBefore, createdBefore, leasedAfter } = limits
    const attemptsMax = this.#attemptsMax
    const nowMs = announcements().nowMs
    const overdue = await this.#database.read((queries) =>
      queries
        .select({ id: analyses.id })
        .from(analyses)
        .where(
          and(
            isOpen,
            sql`(${analyses.startedAt} < ${startedBefore} or ${analyses.createdAt} < ${createdBefore} or (${analyses.attempts} >= ${attemptsMax} and ${analyses.dueAt} not between ${nowMs + 1} and ${leasedAfter}))`,
          ),
        )
        .limit(500),
    )
    const ids = overdue.map(({ id }) => id)
    if (ids.length === 0) return 0
    await this.#database.write(async (queries) => {
      const rows = await queries
        .select({ id: analyses.id, folderId: folders.id, attempts: analyses.attempts })
        .from(analyses)
        .innerJoin(folders, eq(folders.number, analyses.folderNumber))
        .where(and(isOpen, inArray(analyses.id, ids)))
      for (const { id, folderId, attempts } of rows) {
        const why = attempts >= attemptsMax ? 'attemptsSpent' : 'timedOut'
        await abandon(queries, id, folderId, why, announcements())
      }
    })
    return ids.length
  }
}
