/** The files with results of analyses are deleted with their analyses. */
import type { SQL } from 'drizzle-orm'
import { engineResponseFile } from '../../records/analysis.ts'
import { dropBlobs } from '../blobs/blob-ledger.ts'
import type { Queries } from '../database.ts'
import { selectAnalyses } from './folder-rows.ts'

/** Within the transaction that removes analyses or their results, before it does. */
export async function dropEngineResponses(queries: Queries, where: SQL, nowMs: number): Promise<void> {
  const rows = await selectAnalyses(queries, where)
  const keys = rows.flatMap(({ folderId, id, media }) =>
    media.map(({ mediumId }) => engineResponseFile(folderId, id, mediumId)),
  )
  await dropBlobs(queries, keys, nowMs)
}
