/** The files with results of analyses are deleted with their analyses. */
import { eq, type SQL } from 'drizzle-orm'
import { engineResponseFile } from '../../records/analysis.ts'
import { dropBlobs } from '../blobs/blob-ledger.ts'
import type { Queries } from '../database.ts'
import { analyses, folders } from '../schema.ts'

/** Within the transaction that removes analyses or their results, before it does. */
export async function dropEngineResponses(queries: Queries, where: SQL, nowMs: number): Promise<void> {
  // Other columns may be damaged.
  const rows = await queries
    .select({ id: analyses.id, media: analyses.media, folderId: folders.id })
    .from(analyses)
    .innerJoin(folders, eq(folders.number, analyses.folderNumber))
    .where(where)
  const keys = rows.flatMap(({ folderId, id, media }) =>
    media.map(({ mediumId }) => engineResponseFile(folderId, id, mediumId)),
  )
  await dropBlobs(queries, keys, nowMs)
}
