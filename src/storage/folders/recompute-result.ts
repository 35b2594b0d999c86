/** The folder's result, recomputed within each transaction that changes its analyses. */
import { eq, sql } from 'drizzle-orm'
import { computeFolderResult } from '../../decide/folder-result.ts'
import { toAnalysisRun } from '../../records/folder.ts'
import type { Queries } from '../database.ts'
import { folders, outbox } from '../schema.ts'
import { analysisSummaryMask } from './analysis-summary.ts'
import { analysisRecord, selectAnalyses } from './folder-rows.ts'

/** Data for the webhook event of a change to a folder's analyses. */
export interface Announcement {
  /** `null` for no event, when the change removed analyses rather than finished them. */
  eventId: string | null
  nowMs: number
}

/** The result of a folder without personal data is final: its analyses no longer name the media that it follows from. */
const unlessCleared = (
  column: typeof folders.resolutionStatus | typeof folders.systemResolution,
  word: string,
) => sql`case when ${folders.isCleared} then ${column} else ${sql.param(word, column)} end`

/**
 * Recomputes the folder's result from its analyses, within the transaction that changed them. If the folder has ended and
 * has a webhook address, an event is queued.
 */
export async function recomputeFolderResult(
  queries: Queries,
  folderId: string,
  { eventId, nowMs }: Announcement,
): Promise<void> {
  const rows = await selectAnalyses(queries, eq(folders.id, folderId))
  const { resolutionStatus, systemResolution } = computeFolderResult(
    rows.map((row) => toAnalysisRun(analysisRecord(row, []))),
  )
  const analysed = {
    analysed: analysisSummaryMask(rows),
    firstAnalysisAt: rows.at(0)?.createdAt ?? null,
    lastAnalysisAt: rows.at(-1)?.createdAt ?? null,
  }
  const [row] = await queries
    .update(folders)
    .set({
      resolutionStatus: unlessCleared(folders.resolutionStatus, resolutionStatus),
      systemResolution: unlessCleared(folders.systemResolution, systemResolution),
      ...analysed,
      updatedAt: nowMs,
    })
    .where(eq(folders.id, folderId))
    .returning({ url: folders.resolutionEndpoint, companyId: folders.companyId })
  const isEnd = resolutionStatus === 'FINISHED' || resolutionStatus === 'FAILED'
  if (isEnd && row?.url && eventId !== null) {
    await queries.insert(outbox).values({
      id: eventId,
      folderId,
      companyId: row.companyId,
      url: row.url,
      dueAt: nowMs,
      createdAt: nowMs,
    })
  }
}
