/** Files that must go. What is about to be written is entered first, so that an upload that breaks off leaves nothing. */
import { asc, inArray, lte } from 'drizzle-orm'
import type { Database, Queries } from './database.ts'
import { blobRemovals } from './schema.ts'

async function enter(queries: Queries, keys: readonly string[], dueAt: number): Promise<void> {
  for (const key of keys) {
    await queries
      .insert(blobRemovals)
      .values({ key, dueAt })
      .onConflictDoUpdate({ target: blobRemovals.key, set: { dueAt } })
  }
}

/** Within the transaction that makes files part of a record: they stay. */
export async function keepBlobs(queries: Queries, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await queries.delete(blobRemovals).where(inArray(blobRemovals.key, [...keys]))
}

/** Within the transaction that removes their record: files go. */
export const dropBlobs = (queries: Queries, keys: readonly string[], nowMs: number): Promise<void> =>
  enter(queries, keys, nowMs)

export class BlobLedger {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Before files are written: they go unless they were kept by then. */
  async expect(keys: readonly string[], untilMs: number): Promise<void> {
    await this.#database.write((queries) => enter(queries, keys, untilMs))
  }

  async due(nowMs: number, max: number): Promise<string[]> {
    const rows = await this.#database.read((queries) =>
      queries
        .select({ key: blobRemovals.key })
        .from(blobRemovals)
        .where(lte(blobRemovals.dueAt, nowMs))
        .orderBy(asc(blobRemovals.dueAt))
        .limit(max),
    )
    return rows.map(({ key }) => key)
  }

  /** The files are gone. */
  async removed(keys: readonly string[]): Promise<void> {
    await this.#database.write((queries) => keepBlobs(queries, keys))
  }
}
