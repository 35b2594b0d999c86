/** Fails analyses that will not be carried out any more. */
import { and, asc, between, eq, gte, inArray, isNotNull, lt, not, or, type SQL, sql } from 'drizzle-orm'
import type { AnalysisType } from '../../analyses/registry.ts'
import { workOff } from '../../queue/work-off.ts'
import { abandonments } from '../../records/analysis.ts'
import type { Database, Queries } from '../database.ts'
import { analyses, folders } from '../schema.ts'
import { countAbandoned, countedColumns } from '../statistics/count-ended.ts'
import { verdictColumns } from './folder-rows.ts'
import { type Announcement, recomputeFolderResult } from './recompute-result.ts'

/** An analysis that ended without a result. */
export interface AbandonedAnalysis {
  type: AnalysisType
  why: keyof typeof abandonments
}

export interface ExpiryLimits {
  startedBefore: number
  createdBefore: number
  /** No lease ends later, unless it was written before the clock was set back. */
  leasedAfter: number
}

export interface ExpiryDeps {
  database: Database
  /** Attempts per analysis. */
  attemptsMax: number
  announcements(): Announcement
  /** Told of an analysis that could not be failed. */
  onError(error: unknown): void
}

/** Analyses that are failed in one transaction: a server ends a transaction that takes some seconds, and nobody else writes during it. */
const expiredAtOnce = 10

function isOverdue(
  { attemptsMax, announcements }: ExpiryDeps,
  { startedBefore, createdBefore, leasedAfter }: ExpiryLimits,
): SQL | undefined {
  const isWaitedFor = between(analyses.dueAt, announcements().nowMs + 1, leasedAfter)
  return and(
    eq(analyses.state, 'PROCESSING'),
    or(
      and(isNotNull(analyses.leasedBy), isWaitedFor, lt(analyses.startedAt, startedBefore)),
      lt(analyses.createdAt, createdBefore),
      and(gte(analyses.attempts, attemptsMax), not(isWaitedFor)),
    ),
  )
}

async function abandonOne(
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

const abandonAll = (
  { database, attemptsMax, announcements }: ExpiryDeps,
  numbers: readonly number[],
  isStillOverdue: SQL | undefined,
): Promise<AbandonedAnalysis[]> =>
  database.write(async (queries) => {
    const rows = await queries
      .select({ id: analyses.id, folderId: folders.id, attempts: analyses.attempts, type: analyses.type })
      .from(analyses)
      .innerJoin(folders, eq(folders.number, analyses.folderNumber))
      .where(and(isStillOverdue, inArray(analyses.number, [...numbers])))
    const given: AbandonedAnalysis[] = []
    for (const { id, folderId, attempts, type } of rows) {
      const why = attempts >= attemptsMax ? 'attemptsSpent' : 'timedOut'
      await abandonOne(queries, id, folderId, why, announcements())
      given.push({ type, why })
    }
    return given
  })

/**
 * Fails analyses that were requested too long ago, those that a worker has held for too long, and those without attempts left
 * whose lease has ended. Time in which nobody works on an analysis, as while the service is down, is no time of work. One that cannot be
 * failed stops no other.
 * @returns the expired analyses
 */
export async function expireAnalyses(deps: ExpiryDeps, limits: ExpiryLimits): Promise<AbandonedAnalysis[]> {
  const { database, onError } = deps
  const isDue = isOverdue(deps, limits)
  const expired: AbandonedAnalysis[] = []
  for (let last = 0; ; ) {
    const page = await database.read((queries) =>
      queries
        .select({ number: analyses.number })
        .from(analyses)
        // The open ones are few: without the sign the engine would look for them among all.
        .where(and(isDue, sql`+${analyses.number} > ${last}`))
        .orderBy(asc(sql`+${analyses.number}`))
        .limit(expiredAtOnce),
    )
    const numbers = page.map(({ number }) => number)
    if (numbers.length === 0) return expired
    last = numbers.at(-1)!
    const abandon = async (some: readonly number[]) =>
      void expired.push(...(await abandonAll(deps, some, isDue)))
    await workOff(numbers, abandon, {
      onError,
      check: () => database.read((queries) => queries.get(sql`select 1`)),
    })
  }
}
