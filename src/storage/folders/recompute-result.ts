/** The folder's result, recomputed within each transaction that changes its analyses. */
import { eq, sql } from 'drizzle-orm'
import type { Verdict } from '../../decide/analysis.ts'
import { type AnalysisRun, computeFolderResult, computeReview } from '../../decide/folder-result.ts'
import type { AnalysisRecord } from '../../records/analysis.ts'
import { toAnalysisRun } from '../../records/folder.ts'
import type { Queries } from '../database.ts'
import { folders } from '../schema.ts'
import { outbox } from '../webhooks/webhook-schema.ts'
import { type Analysed, analysisSummaryMask } from './analysis-summary.ts'
import { type AnalysisRow, analysisRecord, selectAnalyses, verdictColumns } from './folder-rows.ts'
import { isLinkOf, tellStates } from './link-states.ts'

/** Data for the webhook event of a change to a folder's analyses. */
export interface Announcement {
  /** `null` for no event, when the change removed analyses rather than finished them. */
  eventId: string | null
  nowMs: number
}

/** What the folder's row summarises of an analysis. */
export interface SummarisedAnalysis extends Omit<Analysed, 'state'> {
  run: AnalysisRun
}

export const summariseRow = (row: AnalysisRow): SummarisedAnalysis => ({
  type: row.type,
  resolutionStatus: row.resolutionStatus,
  run: toAnalysisRun(analysisRecord(row, [])),
})

export const summariseRecord = (analysis: AnalysisRecord): SummarisedAnalysis => ({
  type: analysis.type,
  resolutionStatus: verdictColumns(analysis).resolutionStatus,
  run: toAnalysisRun(analysis),
})

/** The result of a folder without personal data is final: its analyses no longer name the media that it follows from. */
const unlessCleared = (
  column: typeof folders.resolutionStatus | typeof folders.systemResolution,
  word: string,
) => sql`case when ${folders.isCleared} then ${column} else ${sql.param(word, column)} end`

/**
 * A word that is no verdict is a remark, which stays until there is one. What an operator has said of the folder alone stays as long
 * as nothing waits.
 */
const reviewStatus = (status: Verdict | null, isWaiting: boolean) => sql`case
  when ${folders.isCleared} then ${folders.operatorStatus}
  when ${status} is not null then ${status}
  when ${isWaiting ? 0 : 1} or ${folders.operatorStatus} not in ('SUCCESS', 'DECLINED') then ${folders.operatorStatus} end`

/** Ends a verdict on a folder, which says nothing of analyses that are new. Remarks stay. */
export const endVerdict = sql`case
  when ${folders.operatorStatus} not in ('SUCCESS', 'DECLINED') then ${folders.operatorStatus} end`

const readSummaries = async (queries: Queries, folderId: string): Promise<SummarisedAnalysis[]> =>
  (await selectAnalyses(queries, eq(folders.id, folderId))).map(summariseRow)

/** Queues an event if the folder has a webhook address. */
const queueEvent = (queries: Queries, folderId: string, eventId: string, nowMs: number) =>
  queries.run(sql`
    insert into ${outbox} (id, folder_id, company_id, url, attempt, due_at, created_at)
    select ${sql.param(eventId, outbox.id)}, ${folders.id}, ${folders.companyId}, ${folders.resolutionEndpoint}, 1, ${nowMs}, ${nowMs}
    from ${folders} where ${eq(folders.id, folderId)} and ${folders.resolutionEndpoint} <> ''`)

/**
 * Recomputes the folder's result from its analyses, within the transaction that changed them. If the folder has ended, events
 * are queued for its webhook address, and for that of the link that it came by.
 * @param known all its analyses as they are now, the oldest first; they are read if it is not given
 */
export async function recomputeFolderResult(
  queries: Queries,
  folderId: string,
  { eventId, nowMs }: Announcement,
  known?: readonly SummarisedAnalysis[],
): Promise<void> {
  const summaries = known ?? (await readSummaries(queries, folderId))
  const { resolutionStatus, systemResolution } = computeFolderResult(summaries.map(({ run }) => run))
  const { status, waiting, waitingSinceMs } = computeReview(summaries.map(({ run }) => run))
  const unlessFinal = (count: number) => sql`case when ${folders.isCleared} then 0 else ${count} end`
  await queries
    .update(folders)
    .set({
      operatorStatus: reviewStatus(status, waitingSinceMs !== null),
      waitingRequired: unlessFinal(waiting.OPERATOR_REQUIRED),
      waitingDeclined: unlessFinal(waiting.DECLINED),
      waitingFailed: unlessFinal(waiting.FAILED),
      waitingSince: waitingSinceMs,
      resolutionStatus: unlessCleared(folders.resolutionStatus, resolutionStatus),
      systemResolution: unlessCleared(folders.systemResolution, systemResolution),
      analysed: analysisSummaryMask(summaries),
      firstAnalysisAt: summaries.at(0)?.run.createdAtMs ?? null,
      lastAnalysisAt: summaries.at(-1)?.run.createdAtMs ?? null,
      updatedAt: nowMs,
    })
    .where(eq(folders.id, folderId))
  const isEnd = resolutionStatus === 'FINISHED' || resolutionStatus === 'FAILED'
  if (!isEnd) return
  if (eventId !== null) await queueEvent(queries, folderId, eventId, nowMs)
  await tellStates(queries, isLinkOf(folderId), nowMs)
}
