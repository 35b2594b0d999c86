/** Removes personal data from the analyses of a folder. */
import { and, eq, sql } from 'drizzle-orm'
import { abandonments } from '../../records/analysis.ts'
import type { Queries } from '../database.ts'
import { analyses } from '../schema.ts'
import { countAbandoned, countedColumns } from '../statistics/count-ended.ts'
import { selectFolderNumber, verdictColumns } from './folder-rows.ts'
import { recomputeFolderResult } from './recompute-result.ts'

const outcome = { status: 'failed', failure: { ...abandonments.dataRemoved, mediumId: null } } as const

/** In place of a failure that cannot be read. */
const unreadFailure = sql`case when ${analyses.failure} is not null then ${sql.param(outcome.failure, analyses.failure)} end`

/**
 * Within a transaction: analyses that run fail, and the results of all are removed, with scores, hits, pictures, metadata, comments
 * and the ids of their media. Type, verdict, thresholds, networks and times stay, and the folder's result with them.
 */
export async function clearAnalyses(queries: Queries, folderId: string, nowMs: number): Promise<void> {
  const ofFolder = eq(analyses.folderNumber, selectFolderNumber(folderId))
  const failed = await queries
    .update(analyses)
    .set({ ...verdictColumns({ outcome, operator: null }), dueAt: null, leasedBy: null })
    .where(and(ofFolder, eq(analyses.state, 'PROCESSING')))
    .returning(countedColumns)
  await countAbandoned(queries, failed, nowMs)
  // Afterwards the media no longer tell which of several runs is the newest.
  if (failed.length > 0) await recomputeFolderResult(queries, folderId, { eventId: null, nowMs })
  await queries
    .update(analyses)
    .set({
      metadata: {},
      evidence: null,
      media: [],
      outputImages: null,
      details: null,
      failure: sql`case when json_valid(${analyses.failure}) then json_set(${analyses.failure}, '$.mediumId', null) else ${unreadFailure} end`,
      operator: sql`case when json_valid(${analyses.operator}) then json_set(${analyses.operator}, '$.comment', '') end`,
      updatedAt: nowMs,
    })
    .where(ofFolder)
}
