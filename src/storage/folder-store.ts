import { asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { ListQuery } from '../contract/list-query.ts'
import { folderResult } from '../decide/folder-result.ts'
import { type FolderRecord, runOf } from '../records/folder.ts'
import type { MediumRecord, Metadata } from '../records/medium.ts'
import type { Database, Queries } from './database.ts'
import { listFolders, type Within } from './folder-list.ts'
import {
  type AnalysisRow,
  analysisRecord,
  analysisRow,
  type FolderRow,
  folderRecord,
  folderRow,
  mediumRecord,
  mediumRow,
} from './folder-rows.ts'
import { flattenJson } from './list-conditions.ts'
import type { Page } from './listed.ts'
import { changeMetadata } from './metadata.ts'
import { analyses, folderLeaves, folders, media, outbox } from './schema.ts'

const byAge = (table: typeof media | typeof analyses): SQL[] => [asc(table.createdAt), sql`rowid`]

export async function readMedia(queries: Queries, folderIds: readonly string[]) {
  if (folderIds.length === 0) return []
  const rows = await queries
    .select()
    .from(media)
    .where(inArray(media.folderId, [...folderIds]))
    .orderBy(...byAge(media))
  return rows.map((row) => ({ folderId: row.folderId, medium: mediumRecord(row) }))
}

async function readAnalyses(queries: Queries, folderIds: readonly string[]): Promise<AnalysisRow[]> {
  if (folderIds.length === 0) return []
  const rows = await queries
    .select()
    .from(analyses)
    .where(inArray(analyses.folderId, [...folderIds]))
    .orderBy(...byAge(analyses))
  return rows
}

async function writeMetadata(
  queries: Queries,
  { id, companyId, createdAt }: Pick<FolderRow, 'id' | 'companyId' | 'createdAt'>,
  metadata: Metadata,
): Promise<void> {
  await queries.delete(folderLeaves).where(eq(folderLeaves.ownerId, id))
  const leaves = flattenJson(metadata).map((leaf) => ({ ownerId: id, companyId, createdAt, ...leaf }))
  if (leaves.length > 0) await queries.insert(folderLeaves).values(leaves)
}

/** What a change of a folder's analyses may need to say to the world. */
export interface Announcement {
  /** `null`: nobody is told, since what changed was taken away and not found out. */
  eventId: string | null
  nowMs: number
}

/**
 * Settles the folder's result from its analyses, within the transaction that changed them. A folder that ends by the
 * change and has an address to tell gets its event.
 */
export async function settleFolder(
  queries: Queries,
  folderId: string,
  { eventId, nowMs }: Announcement,
): Promise<void> {
  const records = (await readAnalyses(queries, [folderId])).map((row) => analysisRecord(row, []))
  const { resolutionStatus, systemResolution } = folderResult(records.map(runOf))
  const [row] = await queries
    .update(folders)
    .set({ resolutionStatus, systemResolution, updatedAt: nowMs })
    .where(eq(folders.id, folderId))
    .returning({ url: folders.resolutionEndpoint })
  const isEnd = resolutionStatus === 'FINISHED' || resolutionStatus === 'FAILED'
  if (isEnd && row?.url && eventId !== null) {
    await queries
      .insert(outbox)
      .values({ id: eventId, folderId, url: row.url, dueAt: nowMs, createdAt: nowMs })
  }
}

const ended = (status: SQLiteColumn): SQL =>
  sql`case ${status} when 'PROCESSING' then 'FAILED' else ${status} end`

/** Any other status is an operator's own words. */
const verdictAlone = (status: SQLiteColumn): SQL =>
  sql`case when ${status} in ('SUCCESS', 'DECLINED') then ${status} end`

/** Folders with their media and analyses. */
export class FolderStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Keeps a new folder with all that it holds.
   * @param also further writes of the same transaction
   */
  async insert(
    folder: FolderRecord,
    announcement: Announcement,
    also: (queries: Queries) => Promise<void>,
  ): Promise<void> {
    await this.#database.write(async (queries) => {
      const row = folderRow(folder)
      await queries.insert(folders).values(row)
      await writeMetadata(queries, row, folder.metadata)
      for (const medium of folder.media) await queries.insert(media).values(mediumRow(folder.id, medium))
      for (const analysis of folder.analyses) {
        await queries.insert(analyses).values(analysisRow(folder, analysis, null))
      }
      await also(queries)
      if (folder.analyses.length > 0) await settleFolder(queries, folder.id, announcement)
    })
  }

  /** The folder alone, without media and analyses. */
  async head(id: string): Promise<FolderRecord | null> {
    const row = await this.#row(id)
    return row && folderRecord(row, [], [])
  }

  async find(id: string): Promise<FolderRecord | null> {
    const row = await this.#row(id)
    return row && ((await this.#filled([row]))[0] ?? null)
  }

  async #row(id: string): Promise<FolderRow | null> {
    const [row] = await this.#database.read((queries) =>
      queries.select().from(folders).where(eq(folders.id, id)),
    )
    return row ?? null
  }

  #filled(rows: readonly FolderRow[]): Promise<FolderRecord[]> {
    return this.#database.read(async (queries) => {
      const ids = rows.map(({ id }) => id)
      const mediaOf = grouped(await readMedia(queries, ids), ({ medium }): MediumRecord => medium)
      const analysesOf = grouped(await readAnalyses(queries, ids), (row): AnalysisRow => row)
      return rows.map((row) => {
        const held = mediaOf(row.id)
        const analysed = analysesOf(row.id).map((analysis) => analysisRecord(analysis, held))
        return folderRecord(row, held, analysed)
      })
    })
  }

  /** @param isFilled whether media and analyses are wanted */
  async list(query: ListQuery, within: Within, isFilled: boolean): Promise<Page<FolderRecord>> {
    const { rows, total } = await this.#database.read((queries) => listFolders(queries, query, within))
    const items = isFilled ? await this.#filled(rows) : rows.map((row) => folderRecord(row, [], []))
    return { items, total }
  }

  /** Changes fields of the folder itself. */
  async update(
    id: string,
    change: {
      resolutionEndpoint?: string | null
      operatorStatus?: string | null
      operatorComment?: string | null
      reviewAuthorId?: string
      reviewAt?: number
    },
    nowMs: number,
  ): Promise<void> {
    await this.#database.write((queries) =>
      queries
        .update(folders)
        .set({ ...change, updatedAt: nowMs })
        .where(eq(folders.id, id)),
    )
  }

  changeMetadata(
    id: string,
    change: (metadata: Metadata) => Metadata,
    nowMs: number,
  ): Promise<Metadata | null> {
    return changeMetadata(this.#database, folders, id, change, nowMs, async (queries, metadata) => {
      const [row] = await queries
        .select({ id: folders.id, companyId: folders.companyId, createdAt: folders.createdAt })
        .from(folders)
        .where(eq(folders.id, id))
      if (row) await writeMetadata(queries, row, metadata)
    })
  }

  /** Removes a folder; everything that belongs to it goes with it. */
  async delete(id: string, also: (queries: Queries) => Promise<void>): Promise<void> {
    await this.#database.write(async (queries) => {
      await also(queries)
      await queries.delete(folders).where(eq(folders.id, id))
    })
  }

  /**
   * Removes everything personal: metadata, media, analyses with their findings, queued events. The folder stays, marked,
   * with its result.
   */
  async clear(id: string, nowMs: number, also: (queries: Queries) => Promise<void>): Promise<void> {
    await this.#database.write(async (queries) => {
      await also(queries)
      await queries.delete(outbox).where(eq(outbox.folderId, id))
      await queries.delete(analyses).where(eq(analyses.folderId, id))
      await queries.delete(media).where(eq(media.folderId, id))
      await queries.delete(folderLeaves).where(eq(folderLeaves.ownerId, id))
      await queries
        .update(folders)
        .set({
          isCleared: true,
          metadata: {},
          // Nobody carries out any more what was under way.
          resolutionStatus: ended(folders.resolutionStatus),
          systemResolution: ended(folders.systemResolution),
          resolutionEndpoint: null,
          operatorStatus: verdictAlone(folders.operatorStatus),
          operatorComment: null,
          updatedAt: nowMs,
        })
        .where(eq(folders.id, id))
    })
  }

  /** Folders created before a time, a few of them. */
  async createdBefore(ms: number, max: number): Promise<string[]> {
    const rows = await this.#database.read((queries) =>
      queries
        .select({ id: folders.id })
        .from(folders)
        .where(sql`${folders.createdAt} < ${ms}`)
        .orderBy(asc(folders.createdAt))
        .limit(max),
    )
    return rows.map(({ id }) => id)
  }
}

function grouped<Item extends { folderId: string }, Value>(
  items: readonly Item[],
  pick: (item: Item) => Value,
): (folderId: string) => Value[] {
  const groups = new Map<string, Value[]>()
  for (const item of items) {
    const group = groups.get(item.folderId)
    if (group) group.push(pick(item))
    else groups.set(item.folderId, [pick(item)])
  }
  return (folderId) => groups.get(folderId) ?? []
}
