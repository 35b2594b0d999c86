/** Files to delete. Each upload is registered here before it starts, so that an interrupted upload leaves no files behind. */
import { and, asc, eq, inArray, lte, ne, notInArray, or, sql } from 'drizzle-orm'
import { abandonments } from '../../records/analysis.ts'
import { personImages } from '../collections/collection-schema.ts'
import type { Database, Queries } from '../database.ts'
import { reports } from '../reports/report-schema.ts'
import { analyses, blobRemovals, media } from '../schema.ts'

/** File names start with the ids of folder and medium, analysis or report, or of collection and photo, each a UUID. */
const ownerIdInKey = sql`unhex(substr(${blobRemovals.key}, 38, 36), '-')`

const failureCode = sql<number>`json_extract(${analyses.failure}, '$.code')`

/** An analysis has files from the end of its run until its folder loses its personal data. An abandoned one has none. */
const hasFiles = and(
  ne(analyses.state, 'PROCESSING'),
  ne(sql`length(${analyses.media})`, 0),
  or(
    sql`${failureCode} is null`,
    notInArray(
      failureCode,
      Object.values(abandonments).map(({ code }) => code),
    ),
  ),
)

/** The engine limits the number of values in one statement. */
const keysAtOnce = 500

async function scheduleRemoval(queries: Queries, keys: readonly string[], dueAt: number): Promise<void> {
  for (let start = 0; start < keys.length; start += keysAtOnce) {
    await queries
      .insert(blobRemovals)
      .values(keys.slice(start, start + keysAtOnce).map((key) => ({ key, dueAt })))
      .onConflictDoUpdate({ target: blobRemovals.key, set: { dueAt } })
  }
}

/** Cancels the deletion of files, within the transaction that makes them part of a record. */
export async function keepBlobs(queries: Queries, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await queries.delete(blobRemovals).where(inArray(blobRemovals.key, [...keys]))
}

/** Schedules files for deletion, within the transaction that removes their record. */
export const dropBlobs = (queries: Queries, keys: readonly string[], nowMs: number): Promise<void> =>
  scheduleRemoval(queries, keys, nowMs)

export class BlobLedger {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Registers files before they are written: they are deleted at `untilMs` unless `keepBlobs` is called before. */
  async registerPending(keys: readonly string[], untilMs: number): Promise<void> {
    await this.#database.write((queries) => scheduleRemoval(queries, keys, untilMs))
  }

  /** Files that are due for deletion. Files of a medium, photo, analysis or report that exists are struck from the ledger: they are deleted with it. */
  async due(nowMs: number, max: number): Promise<string[]> {
    for (;;) {
      const rows = await this.#database.read((queries) =>
        queries
          .select({
            key: blobRemovals.key,
            ownerId: sql<
              string | null
            >`coalesce(${media.id}, ${personImages.id}, ${analyses.id}, ${reports.id})`,
          })
          .from(blobRemovals)
          .leftJoin(media, eq(media.id, ownerIdInKey))
          .leftJoin(personImages, eq(personImages.id, ownerIdInKey))
          .leftJoin(analyses, and(eq(analyses.id, ownerIdInKey), hasFiles))
          .leftJoin(reports, eq(reports.id, ownerIdInKey))
          .where(lte(blobRemovals.dueAt, nowMs))
          .orderBy(asc(blobRemovals.dueAt))
          .limit(max),
      )
      const kept = rows.filter(({ ownerId }) => ownerId !== null).map(({ key }) => key)
      await this.strike(kept)
      if (kept.length === 0 || kept.length < rows.length) {
        return rows.filter(({ ownerId }) => ownerId === null).map(({ key }) => key)
      }
    }
  }

  /** Takes files off the ledger, once they are deleted or when they are to stay. */
  async strike(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return
    await this.#database.write((queries) => keepBlobs(queries, keys))
  }
}
