/** The job queue: analyses that wait for a worker. Each is a row with a lease, so any replica can take it and none is lost. */
import {
  and,
  asc,
  between,
  count,
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
import type { FolderRecord } from '../../records/folder.ts'
import type { MediumRecord } from '../../records/medium.ts'
import { type EndedAnalysis, toEndedAnalysis } from '../../records/statistics.ts'
import type { Database, Queries } from '../database.ts'
import { noCipher, type RowCipher } from '../encryption/row-cipher.ts'
import { analyses, folders, media } from '../schema.ts'
import { abandonedAnalysis, countEnded } from '../statistics/count-ended.ts'
import { type AbandonedAnalysis, type ExpiryLimits, expireAnalyses } from './expire-analyses.ts'
import {
  currentFindings,
  findingsRow,
  type KeptFindings,
  keepFindings,
  type ModelsKey,
  selectFindings,
} from './findings.ts'
import {
  type AnalysisRow,
  analysisRecord,
  folderRecord,
  mediumRecord,
  resultColumns,
  selectAnalyses,
  selectMedia,
  verdictColumns,
} from './folder-rows.ts'
import {
  type Announcement,
  recomputeFolderResult,
  summariseRecord,
  summariseRow,
} from './recompute-result.ts'

/** Analyses of a folder that are taken at once. The time limit of each begins then. */
const jobsMax = 8

/** An analysis that a worker has taken. */
export interface Job {
  analysisId: string
  companyId: string | null
  /** 1 at first. */
  attempt: number
  /** Identifies the lease: no other one has the same words. */
  leasedBy: string
}

/** The due analyses of a folder, taken by one worker, with all that running them needs from the database. */
export interface TakenFolder {
  /** With the media of its unfinished analyses. */
  folder: FolderRecord
  /** The oldest first. */
  jobs: readonly { job: Job; analysis: AnalysisRecord }[]
  /** All unfinished analyses of the folder. */
  open: readonly AnalysisRecord[]
  /** What the current networks found in its media before. */
  findings: readonly KeptFindings[]
}

/** How a job ends, or when it is tried again. */
export type JobEnd =
  | { kind: 'finished'; analysis: AnalysisRecord }
  | { kind: 'abandoned'; why: keyof typeof abandonments }
  /** `isAttempt`: whether the attempt counts. */
  | { kind: 'later'; atMs: number; isAttempt: boolean }

export interface EndedJob {
  job: Job
  end: JobEnd
}

/** Findings of a medium from this run, with the medium's row. */
export interface NewFindings {
  findings: KeptFindings
  medium: MediumRecord
}

/** What of a run is stored, by id: analyses that another worker has taken and media that are gone are left out. */
export interface StoredRun {
  analyses: ReadonlySet<string>
  media: ReadonlySet<string>
}

const isOpen = eq(analyses.state, 'PROCESSING')
const isHeldBy = ({ analysisId, leasedBy, attempt }: Job) =>
  and(eq(analyses.id, analysisId), isOpen, eq(analyses.leasedBy, leasedBy), eq(analyses.attempts, attempt))

const others = alias(analyses, 'others')

/** Whether an unfinished analysis of its folder uses a medium. */
const isUsedByOpen = sql`exists (select 1 from ${analyses} as others where ${and(
  eq(others.folderNumber, media.folderNumber),
  eq(others.state, 'PROCESSING'),
  sql`instr(${others.media}, ${media.id}) > 0`,
)})`

/** Whether a worker holds another analysis of the folder. The folders that are held are few, and are looked up once. */
const isFolderBusy = (nowMs: number, horizonMs: number): SQL =>
  sql`${analyses.folderNumber} in (select ${others.folderNumber} from ${analyses} as others where ${and(
    eq(others.state, 'PROCESSING'),
    isNotNull(others.leasedBy),
    between(others.dueAt, nowMs + 1, nowMs + horizonMs),
  )})`

/** The analysis as it ends; `null` if it is tried again. */
function endedRecord(row: AnalysisRow, end: JobEnd, nowMs: number): AnalysisRecord | null {
  if (end.kind === 'later') return null
  if (end.kind === 'finished') return end.analysis
  const failure = { ...abandonments[end.why], mediumId: null }
  return { ...analysisRecord(row, []), outcome: { status: 'failed', failure }, updatedAtMs: nowMs }
}

/** Writes the ends of jobs that are held, and the folder's result if one of its analyses has ended. */
async function endJobs(
  queries: Queries,
  folderId: string,
  rows: readonly AnalysisRow[],
  settled: readonly EndedJob[],
  announcement: Announcement,
): Promise<void> {
  const { nowMs } = announcement
  const byId = new Map(rows.map((row) => [row.id, row]))
  const records = new Map<string, AnalysisRecord>()
  const counted: EndedAnalysis[] = []
  for (const { job, end } of settled) {
    const row = byId.get(job.analysisId)!
    const isThis = eq(analyses.id, job.analysisId)
    const record = endedRecord(row, end, nowMs)
    if (record) records.set(row.id, record)
    if (end.kind === 'later') {
      const attempts = end.isAttempt ? job.attempt : job.attempt - 1
      await queries.update(analyses).set({ dueAt: end.atMs, leasedBy: null, attempts }).where(isThis)
    } else if (end.kind === 'finished') {
      const freed = { ...resultColumns(end.analysis), dueAt: null, leasedBy: null }
      await queries.update(analyses).set(freed).where(isThis)
      const ended = toEndedAnalysis(end.analysis)
      if (ended) counted.push(ended)
    } else {
      const columns = { ...verdictColumns({ ...record!, operator: null }), updatedAt: nowMs }
      await queries
        .update(analyses)
        .set({ ...columns, dueAt: null, leasedBy: null })
        .where(isThis)
      if (row.sandbox === null) counted.push(abandonedAnalysis(row, nowMs))
    }
  }
  if (records.size === 0) return
  const [first] = settled
  await countEnded(queries, first!.job.companyId, counted)
  const known = rows.map((row) => {
    const record = records.get(row.id)
    return record ? summariseRecord(record) : summariseRow(row)
  })
  await recomputeFolderResult(queries, folderId, announcement, known)
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
  readonly #cipher: RowCipher

  constructor(database: Database, { attemptsMax, isParallel }: JobLimits, cipher: RowCipher = noCipher) {
    this.#database = database
    this.#cipher = cipher
    this.#attemptsMax = attemptsMax
    this.#isParallel = isParallel
  }

  #isDue(nowMs: number, horizonMs: number) {
    const isTime = or(lte(analyses.dueAt, nowMs), gt(analyses.dueAt, nowMs + horizonMs))
    const isTurn = this.#isParallel ? undefined : not(isFolderBusy(nowMs, horizonMs))
    return and(isOpen, isTime, lt(analyses.attempts, this.#attemptsMax), isTurn)
  }

  /** Number of analyses that wait or run. */
  async countOpen(): Promise<number> {
    const [row] = await this.#database.read((queries) =>
      queries.select({ open: count() }).from(analyses).where(isOpen),
    )
    return row?.open ?? 0
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

  /**
   * Takes the due analyses of a folder of a company, up to `jobsMax`: of the one whose analysis has been due for the longest
   * time.
   * @param lease words that no other lease has
   * @returns `null` if other workers have taken all analyses of the company
   */
  async take(
    companyId: string | null,
    lease: string,
    { nowMs, leaseMs, horizonMs }: { nowMs: number; leaseMs: number; horizonMs: number },
    models: ModelsKey,
  ): Promise<TakenFolder | null> {
    const untilMs = nowMs + leaseMs
    const isOfCompany = companyId === null ? isNull(analyses.companyId) : eq(analyses.companyId, companyId)
    const isDue = this.#isDue(nowMs, horizonMs)
    const [taken, [row], held, opened, found] = await this.#database.together('write', (queries) => {
      const longestDue = queries
        .select({ folderNumber: analyses.folderNumber })
        .from(analyses)
        .where(and(isDue, isOfCompany))
        .orderBy(asc(analyses.dueAt))
        .limit(1)
      const oldestDue = queries
        .select({ id: analyses.id })
        .from(analyses)
        .where(and(eq(analyses.folderNumber, longestDue), isDue))
        .orderBy(asc(analyses.dueAt), asc(analyses.number))
        .limit(jobsMax)
      // The company and the time let the engine find it in an index.
      const takenFolder = queries
        .select({ folderNumber: analyses.folderNumber })
        .from(analyses)
        .where(and(isOfCompany, isOpen, eq(analyses.dueAt, untilMs), eq(analyses.leasedBy, lease)))
        .limit(1)
      const isMedium = and(eq(media.folderNumber, takenFolder), isUsedByOpen)
      return [
        queries
          .update(analyses)
          .set({
            attempts: sql`${analyses.attempts} + 1`,
            leasedBy: lease,
            dueAt: untilMs,
            startedAt: nowMs,
          })
          .where(inArray(analyses.id, oldestDue))
          .returning({ id: analyses.id, attempts: analyses.attempts }),
        queries.select().from(folders).where(eq(folders.number, takenFolder)),
        selectMedia(queries, isMedium),
        selectAnalyses(queries, and(eq(analyses.folderNumber, takenFolder), isOpen)),
        selectFindings(queries, isMedium),
      ]
    })
    if (taken.length === 0 || !row) return null
    const records = held.map(mediumRecord)
    const open = opened.map((analysis) => analysisRecord(analysis, records))
    const attempts = new Map(taken.map(({ id, attempts }) => [id, attempts]))
    const current = await Promise.all(found.map((row) => currentFindings(this.#cipher, row, models)))
    return {
      folder: folderRecord(row, records, open),
      jobs: open.flatMap((analysis) => {
        const attempt = attempts.get(analysis.id)
        if (attempt === undefined) return []
        return [{ job: { analysisId: analysis.id, companyId, attempt, leasedBy: lease }, analysis }]
      }),
      open,
      findings: current.filter((findings) => findings !== null),
    }
  }

  /** Extends the leases of jobs that their worker still holds. */
  async extend(jobs: readonly Job[], untilMs: number): Promise<void> {
    const ids = jobs.map(({ analysisId }) => analysisId)
    const leases = [...new Set(jobs.map(({ leasedBy }) => leasedBy))]
    await this.#database.write((queries) =>
      queries
        .update(analyses)
        .set({ dueAt: untilMs })
        .where(and(inArray(analyses.id, ids), isOpen, inArray(analyses.leasedBy, leases))),
    )
  }

  /**
   * Stores how the jobs of a folder ended, with what was found in its media. A worker that has lost a lease does not change
   * that analysis, so each ends only once; one that has lost all of them stores nothing, since others may have found more.
   * @param also further writes of the same transaction
   */
  async settle(
    folderId: string,
    ended: readonly EndedJob[],
    found: readonly NewFindings[],
    modelsKey: string,
    announcement: Announcement,
    also: (queries: Queries, stored: StoredRun) => Promise<void> = async () => {},
  ): Promise<StoredRun> {
    const foundRows = await Promise.all(
      found.map(({ findings }) => findingsRow(this.#cipher, folderId, findings, modelsKey)),
    )
    return this.#database.write(async (queries, ask) => {
      const [rows, held, there] = await ask([
        selectAnalyses(queries, eq(folders.id, folderId)),
        queries
          .select({ id: analyses.id })
          .from(analyses)
          .where(ended.length === 0 ? sql`false` : or(...ended.map(({ job }) => isHeldBy(job)))),
        queries
          .select({ id: media.id })
          .from(media)
          .where(
            inArray(
              media.id,
              found.map(({ medium }) => medium.id),
            ),
          ),
      ])
      const stored = {
        analyses: new Set(held.map(({ id }) => id)),
        media: new Set(ended.length > 0 && held.length === 0 ? [] : there.map(({ id }) => id)),
      }
      for (const [place, { medium }] of found.entries()) {
        if (!stored.media.has(medium.id)) continue
        await queries.update(media).set({ sample: medium.sample }).where(eq(media.id, medium.id))
        await keepFindings(queries, foundRows[place]!)
      }
      const settled = ended.filter(({ job }) => stored.analyses.has(job.analysisId))
      await endJobs(queries, folderId, rows, settled, announcement)
      await also(queries, stored)
      return stored
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

  /** Fails analyses that will not be carried out any more: `expireAnalyses`. */
  expire(
    limits: ExpiryLimits,
    announcements: () => Announcement,
    onError: (error: unknown) => void,
  ): Promise<AbandonedAnalysis[]> {
    return expireAnalyses(
      { database: this.#database, attemptsMax: this.#attemptsMax, announcements, onError },
      limits,
    )
  }
}
