/** Files to delete. Each upload is registered here before it starts, so that an interrupted upload leaves no files behind. */
import {
  and,
  asc,
  count,
  eq,
  gt,
  inArray,
  lt,
  lte,
  ne,
  not,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { abandonments } from '../../records/analysis.ts'
import { personImages } from '../collections/collection-schema.ts'
import type { Database, Queries } from '../database.ts'
import { reports } from '../reports/report-schema.ts'
import { analyses, blobRemovals, media } from '../schema.ts'

/** File names start with the ids of folder and medium, analysis or report, or of collection and photo, each a UUID. */
const ownerIdInKey = sql`unhex(substr(${blobRemovals.key}, 38, 36), '-')`

/** A damaged one must not stop the removal of files. */
const failureCode = sql<number>`case when json_valid(${analyses.failure}) then json_extract(${analyses.failure}, '$.code') end`

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

const isOwnedBy = (
  table: typeof media | typeof personImages | typeof analyses | typeof reports,
  where?: SQL,
) => sql`exists (select 1 from ${table} where ${and(eq(table.id, ownerIdInKey), where)})`

/** Files of a medium, photo, analysis or report that exists: they are deleted with it. */
const isOwned = or(
  isOwnedBy(media),
  isOwnedBy(personImages),
  isOwnedBy(analyses, hasFiles),
  isOwnedBy(reports),
)

/** Several workers may write the file of an analysis, under the same name: whether it stays is known when the analysis has ended. */
const isUndecided = isOwnedBy(analyses, eq(analyses.state, 'PROCESSING'))

/** The engine limits the number of values in one statement. */
const keysAtOnce = 500

/**
 * Pause after the first failed deletion. Each further one doubles it: what could not be deleted is tried again at the latest when the obstacle
 * has been gone for as long as it was there, and never later than the longest pause.
 */
const firstPauseMs = 60_000
const longestPauseMs = 6 * 3600_000
const doublingsMax = 10
const pauseMs = sql`min(${firstPauseMs} << min(${blobRemovals.attempts}, ${doublingsMax}), ${longestPauseMs})`

/** The files that a removal has scheduled. */
export interface ScheduledFiles {
  /** Id of the folder or collection, the first part of their names. */
  ownerId: string
  /** The time that they were scheduled for. */
  dueMs: number
}

/** The character after the slash ends the range of names. */
const isAmong = ({ ownerId, dueMs }: ScheduledFiles) =>
  and(gt(blobRemovals.key, `${ownerId}/`), lt(blobRemovals.key, `${ownerId}0`), eq(blobRemovals.dueAt, dueMs))

async function scheduleRemoval(queries: Queries, keys: readonly string[], dueAt: number): Promise<void> {
  for (let start = 0; start < keys.length; start += keysAtOnce) {
    await queries
      .insert(blobRemovals)
      .values(keys.slice(start, start + keysAtOnce).map((key) => ({ key, dueAt })))
      .onConflictDoUpdate({ target: blobRemovals.key, set: { dueAt, attempts: 0 } })
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

  /**
   * Files that are due for deletion. Those that belong to a record are struck from the ledger, and those of analyses that have not
   * ended wait for their end.
   * @param only of these
   */
  async due(nowMs: number, max: number, only?: ScheduledFiles): Promise<string[]> {
    const isDue = and(lte(blobRemovals.dueAt, nowMs), only && isAmong(only))
    for (;;) {
      const rows = await this.#database.read((queries) =>
        queries
          .select({ key: blobRemovals.key, isOwned: sql<number>`${isOwned}` })
          .from(blobRemovals)
          .where(and(isDue, not(isUndecided)))
          .orderBy(asc(blobRemovals.dueAt))
          .limit(max),
      )
      const kept = rows.filter((row) => row.isOwned).map(({ key }) => key)
      // A record that is removed meanwhile schedules its files again: they must not be struck any more.
      await this.#strike(kept, isOwned)
      if (kept.length === 0 || kept.length < rows.length) {
        return rows.filter((row) => !row.isOwned).map(({ key }) => key)
      }
    }
  }

  /** Takes files off the ledger that were due at this time and are deleted now, unless they were registered again. */
  strike(keys: readonly string[], dueMs: number): Promise<void> {
    return this.#strike(keys, lte(blobRemovals.dueAt, dueMs))
  }

  /**
   * Puts off files that were due at this time and could not be deleted, each time for longer, unless they were registered again or
   * another attempt at the same time put them off already.
   * @returns the files that this call has put off
   */
  async postpone(keys: readonly string[], dueMs: number, nowMs: number): Promise<string[]> {
    const isSame = and(inArray(blobRemovals.key, [...keys]), lte(blobRemovals.dueAt, dueMs))
    const rows = await this.#database.write((queries) =>
      queries
        .update(blobRemovals)
        .set({ dueAt: sql`${nowMs} + ${pauseMs}`, attempts: sql`${blobRemovals.attempts} + 1` })
        .where(isSame)
        .returning({ key: blobRemovals.key }),
    )
    return rows.map(({ key }) => key)
  }

  /** Number of files whose deletion has failed and is tried again. */
  async countFailed(): Promise<number> {
    const [row] = await this.#database.read((queries) =>
      queries.select({ failed: count() }).from(blobRemovals).where(sql`${blobRemovals.attempts} > 0`),
    )
    return row?.failed ?? 0
  }

  async #strike(keys: readonly string[], where: SQL | undefined): Promise<void> {
    if (keys.length === 0) return
    await this.#database.write((queries) =>
      queries.delete(blobRemovals).where(and(inArray(blobRemovals.key, [...keys]), where)),
    )
  }
}
