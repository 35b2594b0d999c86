/** Files that must go. What is about to be written is entered first, so that an upload that breaks off leaves nothing. */
import { asc, eq, inArray, lte, sql } from 'drizzle-orm'
import { personImages } from '../collections/collection-schema.ts'
import type { Database, Queries } from '../database.ts'
import { blobRemovals, media } from '../schema.ts'

/** Files are named by folder and medium, or collection and photo (`mediumFiles`), each a UUID. */
const mediumIdInKey = sql`unhex(substr(${blobRemovals.key}, 38, 36), '-')`

/** Engines bound the values of one statement. */
const keysAtOnce = 500

async function scheduleRemoval(queries: Queries, keys: readonly string[], dueAt: number): Promise<void> {
  for (let start = 0; start < keys.length; start += keysAtOnce) {
    await queries
      .insert(blobRemovals)
      .values(keys.slice(start, start + keysAtOnce).map((key) => ({ key, dueAt })))
      .onConflictDoUpdate({ target: blobRemovals.key, set: { dueAt } })
  }
}

/** Within the transaction that makes files part of a record: they stay. */
export async function keepBlobs(queries: Queries, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await queries.delete(blobRemovals).where(inArray(blobRemovals.key, [...keys]))
}

/** Within the transaction that removes their record: files go. */
export const dropBlobs = (queries: Queries, keys: readonly string[], nowMs: number): Promise<void> =>
  scheduleRemoval(queries, keys, nowMs)

export class BlobLedger {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Before files are written: they go unless they were kept by then. */
  async registerPending(keys: readonly string[], untilMs: number): Promise<void> {
    await this.#database.write((queries) => scheduleRemoval(queries, keys, untilMs))
  }

  /** Files whose time has come. Those of a medium that is there are struck off: they go with it. */
  async due(nowMs: number, max: number): Promise<string[]> {
    for (;;) {
      const rows = await this.#database.read((queries) =>
        queries
          .select({
            key: blobRemovals.key,
            ownerId: sql<string | null>`coalesce(${media.id}, ${personImages.id})`,
          })
          .from(blobRemovals)
          .leftJoin(media, eq(media.id, mediumIdInKey))
          .leftJoin(personImages, eq(personImages.id, mediumIdInKey))
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

  /** The files are gone. */
  async strike(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return
    await this.#database.write((queries) => keepBlobs(queries, keys))
  }
}
