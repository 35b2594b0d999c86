import { eq } from 'drizzle-orm'
import type { Metadata } from '../records/medium.ts'
import type { collections, personImages, persons } from './collections/collection-schema.ts'
import type { Database, Queries } from './database.ts'
import type { analyses, companies, folders, media, users } from './schema.ts'

/** Tables whose rows have metadata that callers change. */
type MetadataTable =
  | typeof users
  | typeof folders
  | typeof media
  | typeof analyses
  | typeof collections
  | typeof persons
  | typeof personImages
  | typeof companies

/**
 * Changes metadata within a transaction, so that two concurrent callers do not undo each other's change.
 * @param also further writes of the same transaction
 * @returns the new metadata, `null` if the row no longer exists
 */
export function changeMetadata(
  database: Database,
  table: MetadataTable,
  id: string,
  change: (metadata: Metadata) => Metadata,
  nowMs: number,
  also: (queries: Queries, metadata: Metadata) => Promise<void> = async () => {},
): Promise<Metadata | null> {
  return database.write(async (queries) => {
    const [row] = await queries.select({ metadata: table.metadata }).from(table).where(eq(table.id, id))
    if (!row) return null
    const metadata = change(row.metadata)
    await queries.update(table).set({ metadata, updatedAt: nowMs }).where(eq(table.id, id))
    await also(queries, metadata)
    return metadata
  })
}
