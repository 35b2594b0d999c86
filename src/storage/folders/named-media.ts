/** Reads what names the files of media that are removed. Nothing else of their rows is read, so that a damaged one can be removed too. */
import { type SQL, sql } from 'drizzle-orm'
import type { NamedMedium } from '../../records/medium.ts'
import type { personImages } from '../collections/collection-schema.ts'
import type { Queries } from '../database.ts'
import { media } from '../schema.ts'

/** Of media of folders or, from `table`, of photos of persons. */
export const selectNamedMedia = (
  queries: Queries,
  where: SQL,
  table: typeof media | typeof personImages = media,
): Promise<NamedMedium[]> => {
  const mimeType = sql<
    string | null
  >`case when json_valid(${table.original}) then json_extract(${table.original}, '$[4]') end`
  return queries.select({ id: table.id, mimeType }).from(table).where(where)
}
