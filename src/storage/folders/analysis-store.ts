import { and, asc, between, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import { type AnalysisRecord, analysisIdsOf, type OutputImage } from '../../records/analysis.ts'
import type { NewDecision } from '../../records/decision.ts'
import type { FolderRecord } from '../../records/folder.ts'
import type { ListFilter } from '../../records/list-query.ts'
import type { Metadata } from '../../records/medium.ts'
import { sandboxSlowMs } from '../../records/sandbox.ts'
import { billedTypes, toEndedAnalysis } from '../../records/statistics.ts'
import { addUsage } from '../accounts/usage-store.ts'
import { changeMetadata } from '../change-metadata.ts'
import type { Database, Queries } from '../database.ts'
import { listConditions } from '../lists/list-conditions.ts'
import { analyses, folders, media } from '../schema.ts'
import { countEnded } from '../statistics/count-ended.ts'
import { refuseCleared, requireUncleared } from './cleared-folder.ts'
import { dropComments } from './drop-comments.ts'
import { dropEngineResponses } from './drop-responses.ts'
import { analysisColumns } from './folder-columns.ts'
import {
  analysisRecord,
  analysisRow,
  folderRecord,
  mediumRecord,
  selectAnalyses,
  selectFolderNumber,
  selectMedia,
} from './folder-rows.ts'
import {
  type Announcement,
  endVerdict,
  recomputeFolderResult,
  summariseRecord,
  summariseRow,
} from './recompute-result.ts'
import { storeDecision } from './store-decision.ts'

/** An analysis with its folder. The folder holds only the media of this analysis. */
export interface PlacedAnalysis {
  folder: FolderRecord
  analysis: AnalysisRecord
}

/** A picture that an analysis took from a medium. */
export interface PlacedPicture extends PlacedAnalysis {
  mediumId: string
  image: OutputImage
}

/** The media may have been deleted since the folder was read. */
function requireMedia(there: ReadonlySet<string>, added: readonly AnalysisRecord[]): void {
  const index = added.findIndex(({ media }) => media.some(({ mediumId }) => !there.has(mediumId)))
  if (index < 0) return
  const place = `analyses.${index}.source_media`
  throw new AppError('value_invalid', 'source_media names a medium that is not part of the folder', {
    details: { key_path: place },
    place,
  })
}

const folderNumberOfAnalysis = (id: string): SQL =>
  sql`(select ${analyses.folderNumber} from ${analyses} where ${eq(analyses.id, id)})`

/** Analyses by id. */
export class AnalysisStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Adds analyses, as jobs for workers unless they have ended.
   * @param also further writes of the same transaction
   * @throws {AppError} `not_found` if the folder no longer exists, `not_allowed` if its personal data was removed
   */
  async insert(
    folderId: string,
    added: readonly AnalysisRecord[],
    resolutionEndpoint: string | null,
    announcement: Announcement,
    also: (queries: Queries) => Promise<void>,
  ): Promise<void> {
    await this.#database.write(async (queries, ask) => {
      const [[folder], there, earlier] = await ask([
        queries
          .select({ id: folders.id, companyId: folders.companyId, isCleared: folders.isCleared })
          .from(folders)
          .where(eq(folders.id, folderId)),
        queries
          .select({ id: media.id })
          .from(media)
          .where(eq(media.folderNumber, selectFolderNumber(folderId))),
        selectAnalyses(queries, eq(folders.id, folderId)),
      ])
      if (!folder) throw new AppError('not_found')
      if (folder.isCleared) refuseCleared()
      requireMedia(new Set(there.map(({ id }) => id)), added)
      for (const analysis of added) {
        const startAtMs = announcement.nowMs + (analysis.sandbox === 'slow' ? sandboxSlowMs : 0)
        const dueAtMs = analysis.outcome.status === 'processing' ? startAtMs : null
        await queries.insert(analyses).values(analysisRow(folder, analysis, dueAtMs))
      }
      const ended = added.flatMap((analysis) => toEndedAnalysis(analysis) ?? [])
      await also(queries)
      await countEnded(queries, folder.companyId, ended)
      await queries
        .update(folders)
        .set({ operatorStatus: endVerdict, ...(resolutionEndpoint === null ? {} : { resolutionEndpoint }) })
        .where(eq(folders.id, folderId))
      await addUsage(queries, folder.companyId, billedTypes(added), announcement.nowMs)
      const known = [...earlier.map(summariseRow), ...added.map(summariseRecord)]
      await recomputeFolderResult(queries, folderId, announcement, known)
    })
  }

  find(id: string): Promise<PlacedAnalysis | null> {
    return this.#findOne(eq(analyses.id, id))
  }

  async #findOne(where: SQL): Promise<PlacedAnalysis | null> {
    return this.#database.read(async (queries) => {
      const [row] = await selectAnalyses(queries, where)
      if (!row) return null
      const [folder] = await queries.select().from(folders).where(eq(folders.number, row.folderNumber))
      if (!folder) return null
      const ids = row.media.map(({ mediumId }) => mediumId)
      const held = (await selectMedia(queries, inArray(media.id, ids))).map(mediumRecord)
      const analysis = analysisRecord(row, held)
      return { folder: folderRecord(folder, held, [analysis]), analysis }
    })
  }

  /** A picture that an analysis took from a medium, by its id. */
  async findPicture(id: string): Promise<PlacedPicture | null> {
    const { first, last } = analysisIdsOf(id)
    const placed = await this.#findOne(between(analyses.id, first, last))
    for (const { mediumId, outputImages } of placed?.analysis.media ?? []) {
      const image = outputImages.find((one) => one.id === id)
      if (image) return { ...placed!, mediumId, image }
    }
    return null
  }

  /** Ids of the analyses of a folder, the oldest first. */
  async listIds(folderId: string, filters: readonly ListFilter[]): Promise<string[]> {
    const rows = await this.#database.read((queries) =>
      queries
        .select({ id: analyses.id })
        .from(analyses)
        .where(
          and(
            eq(analyses.folderNumber, selectFolderNumber(folderId)),
            ...listConditions(filters, analysisColumns),
          ),
        )
        .orderBy(asc(analyses.createdAt), asc(analyses.number)),
    )
    return rows.map(({ id }) => id)
  }

  /**
   * Stores an operator's decision on the analysis.
   * @throws {AppError} `not_found` if the analysis no longer exists, `not_allowed` if it is running or failed, and as
   *   `storeDecision`
   */
  async decide(id: string, decision: Omit<NewDecision, 'on'>, announcement: Announcement): Promise<void> {
    await this.#database.write(async (queries) => {
      const [row] = await selectAnalyses(queries, eq(analyses.id, id))
      if (!row) throw new AppError('not_found')
      if (row.state !== 'FINISHED')
        throw new AppError('not_allowed', 'Only a finished analysis can be decided by an operator')
      await storeDecision(queries, row.folderId, { ...decision, on: { analysisId: id } }, announcement)
    })
  }

  /** @throws {AppError} `not_allowed` if personal data of the folder was removed */
  changeMetadata(
    id: string,
    change: (metadata: Metadata) => Metadata,
    nowMs: number,
  ): Promise<Metadata | null> {
    return changeMetadata(this.#database, analyses, id, change, nowMs, (queries) =>
      requireUncleared(queries, folderNumberOfAnalysis(id)),
    )
  }

  /** Removes an analysis and recomputes the folder's result. */
  async delete(id: string, announcement: Announcement): Promise<void> {
    await this.#database.write(async (queries) => {
      const [row] = await selectAnalyses(queries, eq(analyses.id, id))
      if (!row) return
      await dropEngineResponses(queries, eq(analyses.id, id), announcement.nowMs)
      await dropComments(queries, id)
      await queries.delete(analyses).where(eq(analyses.id, id))
      await recomputeFolderResult(queries, row.folderId, announcement)
    })
  }
}
