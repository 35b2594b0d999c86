/** Reads what names the files of media that are removed. Nothing else of their rows is read, so that a damaged one can be removed too. */
import { type SQL, sql } from 'drizzle-orm'
import type { NamedMedium } from '../../records/medium.ts'
import type { personImages } from '../collections/collection-schema.ts'
import type { Queries } from '../database.ts'
import { media } from '../schema.ts'

/** `null` for a damaged row. */
export const mimeTypeOf = (table: typeof media | typeof personImages) =>
  sql<string | null>`case when json_valid(${table.original}) then json_extract(${table.original}, '$[4]') end`

/** Of media of folders or, from `table`, of photos of persons. */
export const selectNamedMedia = (
  queries: Queries,
  where: SQL,
  table: typeof media | typeof personImages = media,
): Promise<NamedMedium[]> =>
  queries
    .select({ id: table.id, mimeType: mimeTypeOf(table) })
    .from(table)
    .where(where)
