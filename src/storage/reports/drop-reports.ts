import { eq } from 'drizzle-orm'
import { reportFile, reportForms } from '../../records/report.ts'
import { dropBlobs } from '../blobs/blob-ledger.ts'
import type { Queries } from '../database.ts'
import { reports } from './report-schema.ts'

/** Removes the reports of a folder, within the transaction that removes what they show. */
export async function dropReports(queries: Queries, folderId: string, nowMs: number): Promise<void> {
  const rows = await queries
    .delete(reports)
    .where(eq(reports.folderId, folderId))
    .returning({ id: reports.id })
  const keys = rows.flatMap(({ id }) => reportForms.map((form) => reportFile(folderId, id, form)))
  await dropBlobs(queries, keys, nowMs)
}
