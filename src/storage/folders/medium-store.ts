import { and, eq, sql } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import type { FolderRecord } from '../../records/folder.ts'
import type { MediumRecord, Metadata, NamedMedium } from '../../records/medium.ts'
import { changeMetadata } from '../change-metadata.ts'
import type { Database, Queries } from '../database.ts'
import { noCipher, type RowCipher } from '../encryption/row-cipher.ts'
import { analyses, folders, media } from '../schema.ts'
import { refuseCleared } from './cleared-folder.ts'
import { dropComments } from './drop-comments.ts'
import { dropEngineResponses } from './drop-responses.ts'
import { currentFindings, type KeptFindings, type ModelsKey, selectFindings } from './findings.ts'
import { folderRecord, mediumRecord, mediumRow, selectMedia } from './folder-rows.ts'
import { selectNamedMedia } from './named-media.ts'
import { recomputeFolderResult } from './recompute-result.ts'

/** A medium with its folder. */
export interface PlacedMedium {
  folder: FolderRecord
  medium: MediumRecord
}

export interface RemovableMedium {
  folder: Pick<FolderRecord, 'id' | 'companyId' | 'userId'>
  id: string
}

/** Media by id. */
export class MediumStore {
  readonly #database: Database
  readonly #cipher: RowCipher

  constructor(database: Database, cipher: RowCipher = noCipher) {
    this.#database = database
    this.#cipher = cipher
  }

  /**
   * Adds media to a folder.
   * @throws {AppError} `not_found` if the folder no longer exists, `not_allowed` if its personal data was removed
   */
  async insert(
    folderId: string,
    added: readonly MediumRecord[],
    nowMs: number,
    also: (queries: Queries) => Promise<void>,
  ): Promise<void> {
    await this.#database.write(async (queries) => {
      const [folder] = await queries
        .update(folders)
        .set({ updatedAt: nowMs })
        .where(eq(folders.id, folderId))
        .returning({ isCleared: folders.isCleared })
      if (!folder) throw new AppError('not_found')
      if (folder.isCleared) refuseCleared()
      for (const medium of added) await queries.insert(media).values(mediumRow(folderId, medium))
      await also(queries)
    })
  }

  async find(id: string): Promise<PlacedMedium | null> {
    return this.#database.read(async (queries) => {
      const [row] = await selectMedia(queries, eq(media.id, id))
      if (!row) return null
      const [folder] = await queries.select().from(folders).where(eq(folders.number, row.folderNumber))
      return folder ? { folder: folderRecord(folder, [], []), medium: mediumRecord(row) } : null
    })
  }

  /** What decides whether a caller may remove a medium: a damaged one can be removed, too. */
  async findToRemove(id: string): Promise<RemovableMedium | null> {
    const { companyId, userId } = folders
    const [row] = await this.#database.read((queries) =>
      queries
        .select({ folder: { id: folders.id, companyId, userId }, id: media.id })
        .from(media)
        .innerJoin(folders, eq(folders.number, media.folderNumber))
        .where(eq(media.id, id)),
    )
    return row ?? null
  }

  /**
   * Writes in one transaction with a check of the medium.
   * @throws {AppError} `not_found` if the medium was deleted meanwhile
   */
  async hold(id: string, also: (queries: Queries) => Promise<void>): Promise<void> {
    await this.#database.write(async (queries) => {
      const [row] = await queries.select({ id: media.id }).from(media).where(eq(media.id, id))
      if (!row) throw new AppError('not_found')
      await also(queries)
    })
  }

  /** @param tags new tags, stored in the same transaction; `null` if they stay */
  changeMetadata(
    id: string,
    change: (metadata: Metadata) => Metadata,
    nowMs: number,
    tags: readonly string[] | null = null,
  ): Promise<Metadata | null> {
    return changeMetadata(this.#database, media, id, change, nowMs, async (queries) => {
      if (tags) await queries.update(media).set({ tags }).where(eq(media.id, id))
    })
  }

  /**
   * Removes a medium and the analyses that used it, since their results hold data about the removed person.
   * @param also further writes of the same transaction; it gets the medium unless it was deleted meanwhile
   * @throws {AppError} `not_allowed` while one of these analyses runs
   */
  async delete(
    id: string,
    nowMs: number,
    also: (queries: Queries, removed: readonly NamedMedium[]) => Promise<void>,
  ): Promise<void> {
    await this.#database.write(async (queries) => {
      const using = await queries
        .select({ id: analyses.id, state: analyses.state, folderId: folders.id })
        .from(media)
        .innerJoin(analyses, eq(analyses.folderNumber, media.folderNumber))
        .innerJoin(folders, eq(folders.number, media.folderNumber))
        .where(and(eq(media.id, id), sql`instr(${analyses.media}, ${media.id}) > 0`))
      if (using.some(({ state }) => state === 'PROCESSING'))
        throw new AppError('not_allowed', 'An analysis of the medium is running')
      for (const analysis of using) {
        await dropEngineResponses(queries, eq(analyses.id, analysis.id), nowMs)
        await dropComments(queries, analysis.id)
        await queries.delete(analyses).where(eq(analyses.id, analysis.id))
      }
      await also(queries, await selectNamedMedia(queries, eq(media.id, id)))
      await queries.delete(media).where(eq(media.id, id))
      const [used] = using
      if (used) await recomputeFolderResult(queries, used.folderId, { eventId: null, nowMs })
    })
  }

  async findings(id: string, models: ModelsKey): Promise<KeptFindings | null> {
    const [row] = await this.#database.read((queries) => selectFindings(queries, eq(media.id, id)))
    return row ? currentFindings(this.#cipher, row, models) : null
  }
}
