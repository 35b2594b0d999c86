import { and, asc, eq, lt, notInArray, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { AppError } from '../../errors.ts'
import type { ListScope } from '../../identity/authority.ts'
import type { AnalysisHead } from '../../records/analysis.ts'
import type { NewDecision } from '../../records/decision.ts'
import type { FolderRecord } from '../../records/folder.ts'
import type { Listing, ListQuery } from '../../records/list-query.ts'
import type { Metadata, NamedMedium } from '../../records/medium.ts'
import { billedTypes, toEndedAnalysis } from '../../records/statistics.ts'
import { addUsage } from '../accounts/usage-store.ts'
import { changeMetadata } from '../change-metadata.ts'
import type { Database, Queries } from '../database.ts'
import { dropDataKey } from '../encryption/data-keys.ts'
import { noCipher, type RowCipher } from '../encryption/row-cipher.ts'
import { type BatchPace, collectBatches, firstPace, readInBatches } from '../lists/batches.ts'
import { amongNumbers, flattenJson } from '../lists/list-conditions.ts'
import { analyses, decisions, folderLeaves, folders, media } from '../schema.ts'
import { countEnded } from '../statistics/count-ended.ts'
import { outbox } from '../webhooks/webhook-schema.ts'
import { captureLinks } from './capture-link-schema.ts'
import { clearAnalyses } from './clear-analyses.ts'
import { refuseCleared } from './cleared-folder.ts'
import { dropEngineResponses } from './drop-responses.ts'
import { listFolders } from './folder-list.ts'
import {
  type AnalysisRow,
  analysisRecord,
  analysisRow,
  type FolderRow,
  folderRecord,
  folderRow,
  mediumRecord,
  mediumRow,
  selectAnalyses,
  selectFolderNumber,
  selectHeads,
  selectMedia,
} from './folder-rows.ts'
import { isLinkOf, tellStates } from './link-states.ts'
import { selectNamedMedia } from './named-media.ts'
import { type Announcement, recomputeFolderResult, summariseRecord } from './recompute-result.ts'
import { storeDecision } from './store-decision.ts'

/** Media, and analyses, that are read at once: they may have metadata of any size. */
const fewRows = 16

/** What a list shows of each folder besides the folder itself. Analyses come with their media. */
export interface ListedParts {
  media: boolean
  analyses: boolean
}

/** Further writes of the transaction that removes media: it reads them itself, so that no concurrent upload is missed. */
type AlsoRemove = (queries: Queries, removed: readonly NamedMedium[]) => Promise<void>

const readNamedMedia = (queries: Queries, folderId: string): Promise<NamedMedium[]> =>
  selectNamedMedia(queries, eq(media.folderNumber, selectFolderNumber(folderId)))

async function writeMetadata(
  queries: Queries,
  { id, companyId, createdAt }: Pick<FolderRow, 'id' | 'companyId' | 'createdAt'>,
  metadata: Metadata,
): Promise<void> {
  const owner = selectFolderNumber(id)
  await queries.delete(folderLeaves).where(eq(folderLeaves.owner, owner))
  const leaves = flattenJson(metadata).map((leaf) => ({ owner, companyId, createdAt, ...leaf }))
  if (leaves.length > 0) await queries.insert(folderLeaves).values(leaves)
}

/** Keeps `SUCCESS` and `DECLINED`; any other status is free text of an operator. */
const keepVerdictOnly = (status: SQLiteColumn): SQL =>
  sql`case when ${status} in ('SUCCESS', 'DECLINED') then ${status} end`

export type RemovableFolder = Pick<FolderRecord, 'id' | 'companyId' | 'userId' | 'isCleared'>

/** Folders with their media and analyses. */
export class FolderStore {
  readonly #database: Database
  readonly #cipher: Pick<RowCipher, 'forget'>

  constructor(database: Database, cipher: Pick<RowCipher, 'forget'> = noCipher) {
    this.#database = database
    this.#cipher = cipher
  }

  /**
   * Stores a new folder with its media and analyses.
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
      if (folder.analyses.length === 0) return
      const ended = folder.analyses.flatMap((analysis) => toEndedAnalysis(analysis) ?? [])
      await countEnded(queries, folder.companyId, ended)
      await addUsage(queries, folder.companyId, billedTypes(folder.analyses), announcement.nowMs)
      await recomputeFolderResult(queries, folder.id, announcement, folder.analyses.map(summariseRecord))
    })
  }

  /** The folder alone, without media and analyses. */
  async head(id: string): Promise<FolderRecord | null> {
    const row = await this.#row(id)
    return row && folderRecord(row, [], [])
  }

  /** What decides whether a caller may remove a folder: a damaged one can be removed, too. */
  async findToRemove(id: string): Promise<RemovableFolder | null> {
    const { companyId, userId, isCleared } = folders
    const [row] = await this.#database.read((queries) =>
      queries
        .select({ id: folders.id, companyId, userId, isCleared })
        .from(folders)
        .where(eq(folders.id, id)),
    )
    return row ?? null
  }

  /** One call reads a folder with few media and analyses; those of larger ones are read in batches. */
  async find(id: string): Promise<FolderRecord | null> {
    const [[row], held, analysed] = await this.#database.together('read', (queries) => [
      queries.select().from(folders).where(eq(folders.id, id)),
      selectMedia(queries, eq(folders.id, id)).limit(fewRows + 1),
      selectAnalyses(queries, eq(folders.id, id)).limit(fewRows + 1),
    ])
    if (!row) return null
    if (held.length > fewRows || analysed.length > fewRows) return (await this.#fill([row]))[0] ?? null
    const records = held.map(mediumRecord)
    return folderRecord(
      row,
      records,
      analysed.map((analysis) => analysisRecord(analysis, records)),
    )
  }

  async #row(id: string): Promise<FolderRow | null> {
    const [row] = await this.#database.read((queries) =>
      queries.select().from(folders).where(eq(folders.id, id)),
    )
    return row ?? null
  }

  #firstPaces(): { media: BatchPace; analyses: BatchPace } {
    return { media: firstPace(this.#database), analyses: firstPace(this.#database) }
  }

  /** Adds media and analyses. Their metadata may be large, so they are read in batches too. */
  async #fill(rows: readonly FolderRow[], pace = this.#firstPaces()): Promise<FolderRecord[]> {
    const ofFolders = rows.map(({ number }) => number)
    const held = await this.#selectOfFolders(media, ofFolders, selectMedia, pace.media)
    const analysed = await this.#selectOfFolders(analyses, ofFolders, selectAnalyses, pace.analyses)
    const mediaOf = groupByFolder(held, mediumRecord)
    const analysesOf = groupByFolder(analysed, (row): AnalysisRow => row)
    return rows.map((row) => {
      const ownMedia = mediaOf(row.id)
      const ownAnalyses = analysesOf(row.id).map((analysis) => analysisRecord(analysis, ownMedia))
      return folderRecord(row, ownMedia, ownAnalyses)
    })
  }

  /** Adds media, if they are shown, and the heads of analyses. */
  async #fillHeads(rows: readonly FolderRow[], withMedia: boolean, pace: BatchPace): Promise<FolderRecord[]> {
    const ofFolders = rows.map(({ number }) => number)
    const held = withMedia ? await this.#selectOfFolders(media, ofFolders, selectMedia, pace) : []
    const heads = await this.#database.read((queries) =>
      selectHeads(queries, amongNumbers(analyses.folderNumber, ofFolders)),
    )
    const mediaOf = groupByFolder(held, mediumRecord)
    const headsOf = groupByFolder(heads, (head): AnalysisHead => head)
    return rows.map((row) => ({ ...folderRecord(row, mediaOf(row.id), []), heads: headsOf(row.id) }))
  }

  /** Rows of folders, the oldest first. */
  async #selectOfFolders<Row extends { number: number }>(
    table: typeof media | typeof analyses,
    ofFolders: readonly number[],
    select: (queries: Queries, where: SQL) => Promise<Row[]>,
    pace: BatchPace,
  ): Promise<Row[]> {
    const keys = await this.#database.read((queries) =>
      queries
        .select({ number: table.number })
        .from(table)
        .where(amongNumbers(table.folderNumber, ofFolders))
        .orderBy(table.createdAt, table.number),
    )
    const numbers = keys.map(({ number }) => number)
    return collectBatches(
      readInBatches(numbers, pace, async (batch) => {
        const rows = await this.#database.read((queries) =>
          select(queries, amongNumbers(table.number, batch)),
        )
        return new Map(rows.map((row) => [row.number, row]))
      }),
    )
  }

  async list(query: ListQuery, within: ListScope, parts: ListedParts): Promise<Listing<FolderRecord>> {
    const { numbers, total } = await this.#database.read((queries) => listFolders(queries, query, within))
    const pace = this.#firstPaces()
    const batches = readInBatches(numbers, firstPace(this.#database), async (batch) => {
      const rows = await this.#database.read((queries) =>
        queries.select().from(folders).where(amongNumbers(folders.number, batch)),
      )
      const records = await (parts.analyses
        ? this.#fill(rows, pace)
        : this.#fillHeads(rows, parts.media, pace.media))
      return new Map(rows.map(({ number }, at) => [number, records[at]!]))
    })
    return { batches, total }
  }

  /**
   * Changes fields of the folder itself, and its metadata with them.
   * @param patch makes the new metadata; `null` if they do not change
   * @param review what an operator decides or remarks in the same transaction
   * @throws {AppError} `not_found` if the folder no longer exists, `not_allowed` if its personal data was removed, and as `patch`
   *   and `storeDecision`
   */
  async update(
    id: string,
    change: { resolutionEndpoint?: string | null },
    announcement: Announcement,
    patch: ((metadata: Metadata) => Metadata) | null = null,
    review: NewDecision | null = null,
  ): Promise<void> {
    await this.#database.write(async (queries) => {
      const [row] = await queries.select().from(folders).where(eq(folders.id, id))
      if (!row) throw new AppError('not_found')
      if (row.isCleared && (patch || review || Object.keys(change).length > 0)) refuseCleared()
      const metadata = patch?.(row.metadata)
      await queries
        .update(folders)
        .set({ ...change, ...(metadata ? { metadata } : {}), updatedAt: announcement.nowMs })
        .where(eq(folders.id, id))
      if (metadata) await writeMetadata(queries, row, metadata)
      if (review) await storeDecision(queries, id, review, announcement)
    })
  }

  /** @throws {AppError} `not_allowed` if the folder's personal data was removed */
  changeMetadata(
    id: string,
    change: (metadata: Metadata) => Metadata,
    nowMs: number,
  ): Promise<Metadata | null> {
    return changeMetadata(this.#database, folders, id, change, nowMs, async (queries, metadata) => {
      const [row] = await queries.select().from(folders).where(eq(folders.id, id))
      if (row?.isCleared) refuseCleared()
      if (row) await writeMetadata(queries, row, metadata)
    })
  }

  /** Removes a folder with everything that belongs to it. */
  async delete(id: string, nowMs: number, also: AlsoRemove): Promise<void> {
    await this.#database.write(async (queries) => {
      await also(queries, await readNamedMedia(queries, id))
      await dropEngineResponses(queries, eq(folders.id, id), nowMs)
      const [link] = await queries.select({ id: captureLinks.id }).from(captureLinks).where(isLinkOf(id))
      await queries.delete(folders).where(eq(folders.id, id))
      await dropDataKey(queries, id)
      // The other folders that came by the link may all be decided.
      if (link) await tellStates(queries, eq(captureLinks.id, link.id), nowMs)
    })
    this.#cipher.forget(id)
  }

  /**
   * Removes all personal data: metadata, media with their findings, results of analyses, queued events. The folder stays with
   * its result, its analyses with their verdicts, its decisions without what was written, and it is marked as cleared.
   */
  async clear(id: string, nowMs: number, also: AlsoRemove): Promise<void> {
    await this.#database.write(async (queries) => {
      await also(queries, await readNamedMedia(queries, id))
      await queries.delete(outbox).where(eq(outbox.folderId, id))
      await dropEngineResponses(queries, eq(folders.id, id), nowMs)
      await clearAnalyses(queries, id, nowMs)
      await queries.delete(media).where(eq(media.folderNumber, selectFolderNumber(id)))
      await queries.delete(folderLeaves).where(eq(folderLeaves.owner, selectFolderNumber(id)))
      await dropDataKey(queries, id)
      await queries
        .update(decisions)
        .set({ status: keepVerdictOnly(decisions.status), comment: '' })
        .where(eq(decisions.folderNumber, selectFolderNumber(id)))
      await queries
        .update(folders)
        .set({
          isCleared: true,
          metadata: {},
          resolutionEndpoint: null,
          operatorStatus: keepVerdictOnly(folders.operatorStatus),
          operatorComment: null,
          ...{ waitingRequired: 0, waitingDeclined: 0, waitingFailed: 0, waitingSince: null },
          ...{ viewerId: null, viewedUntil: null },
          updatedAt: nowMs,
        })
        .where(eq(folders.id, id))
      await tellStates(queries, isLinkOf(id), nowMs)
    })
    this.#cipher.forget(id)
  }

  /** Up to `max` folders created before a time, the oldest first. @param except those that cannot be removed */
  async createdBefore(ms: number, max: number, except: readonly string[]): Promise<string[]> {
    const rows = await this.#database.read((queries) =>
      queries
        .select({ id: folders.id })
        .from(folders)
        .where(and(lt(folders.createdAt, ms), notInArray(folders.id, [...except])))
        .orderBy(asc(folders.createdAt))
        .limit(max),
    )
    return rows.map(({ id }) => id)
  }
}

function groupByFolder<Item extends { folderId: string }, Value>(
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
