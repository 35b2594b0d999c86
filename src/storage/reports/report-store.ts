import { and, asc, count, eq } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import type { ListScope } from '../../identity/authority.ts'
import type { Listing, ListQuery } from '../../records/list-query.ts'
import { type ReportRecord, reportFile, reportForms } from '../../records/report.ts'
import { dropBlobs } from '../blobs/blob-ledger.ts'
import type { Database, Queries } from '../database.ts'
import { refuseCleared } from '../folders/cleared-folder.ts'
import { selectFolderNumber } from '../folders/folder-rows.ts'
import { firstPace, readInBatches } from '../lists/batches.ts'
import { amongIds, listConditions } from '../lists/list-conditions.ts'
import { readPageKeys } from '../lists/page-keys.ts'
import { folders, media } from '../schema.ts'
import { reports } from './report-schema.ts'

/** Reports of one folder. */
const reportsMax = 100

const toRecord = ({ createdAt, ...row }: typeof reports.$inferSelect): ReportRecord => ({
  ...row,
  createdAtMs: createdAt,
})

const columns = {
  id: { column: reports.id },
  folderId: { column: reports.folderId },
  companyId: { column: reports.companyId },
  templateId: { column: reports.templateId },
  createdAt: { column: reports.createdAt },
}

/** Reports of folders. */
export class ReportStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Stores a report.
   * @param mediumIds the media that it shows
   * @param also further writes of the same transaction
   * @throws {AppError} `not_found` if the folder no longer exists; `not_allowed` if its personal data or a medium of the report
   *   was removed meanwhile, or if it has too many reports
   */
  async insert(
    { createdAtMs, ...report }: ReportRecord,
    mediumIds: readonly string[],
    also: (queries: Queries) => Promise<void>,
  ): Promise<void> {
    const { folderId } = report
    await this.#database.write(async (queries) => {
      const [folder] = await queries
        .select({ isCleared: folders.isCleared })
        .from(folders)
        .where(eq(folders.id, folderId))
      if (!folder) throw new AppError('not_found')
      if (folder.isCleared) refuseCleared()
      await requireShown(queries, folderId, mediumIds)
      await refuseMany(queries, folderId)
      await queries.insert(reports).values({ ...report, createdAt: createdAtMs })
      await also(queries)
    })
  }

  async find(id: string): Promise<ReportRecord | null> {
    const [row] = await this.#database.read((queries) =>
      queries.select().from(reports).where(eq(reports.id, id)),
    )
    return row ? toRecord(row) : null
  }

  /** The reports of a folder, the oldest first. */
  async ofFolder(folderId: string): Promise<ReportRecord[]> {
    const rows = await this.#database.read((queries) =>
      queries.select().from(reports).where(eq(reports.folderId, folderId)).orderBy(asc(reports.createdAt)),
    )
    return rows.map(toRecord)
  }

  /** @param folderId the folder that the list is limited to, `null` for all */
  async list(query: ListQuery, scope: ListScope, folderId: string | null): Promise<Listing<ReportRecord>> {
    const where = and(
      folderId === null ? undefined : eq(reports.folderId, folderId),
      scope.companyId === undefined ? undefined : eq(reports.companyId, scope.companyId),
      scope.userId === undefined ? undefined : eq(reports.userId, scope.userId),
      ...listConditions(query.filters, columns),
    )
    const { keys, total } = await this.#database.read((queries) =>
      readPageKeys(queries, reports.id, columns, query, where),
    )
    const batches = readInBatches(keys, firstPace(this.#database), async (batch) => {
      const rows = await this.#database.read((queries) =>
        queries.select().from(reports).where(amongIds(reports.id, batch)),
      )
      return new Map(rows.map((row) => [row.id, toRecord(row)]))
    })
    return { batches, total }
  }

  /** Removes a report with its files. */
  async delete({ id, folderId }: Pick<ReportRecord, 'id' | 'folderId'>, nowMs: number): Promise<void> {
    await this.#database.write(async (queries) => {
      await queries.delete(reports).where(eq(reports.id, id))
      const keys = reportForms.map((form) => reportFile(folderId, id, form))
      await dropBlobs(queries, keys, nowMs)
    })
  }
}

/** A medium that was removed while the report was made must not live on in it. */
async function requireShown(queries: Queries, folderId: string, mediumIds: readonly string[]): Promise<void> {
  const rows = await queries
    .select({ id: media.id })
    .from(media)
    .where(eq(media.folderNumber, selectFolderNumber(folderId)))
  const there = new Set(rows.map(({ id }) => id))
  if (mediumIds.some((id) => !there.has(id)))
    throw new AppError(
      'not_allowed',
      'A medium of the folder was removed meanwhile: ask for the report again',
    )
}

async function refuseMany(queries: Queries, folderId: string): Promise<void> {
  const [counted] = await queries
    .select({ total: count() })
    .from(reports)
    .where(eq(reports.folderId, folderId))
  if ((counted?.total ?? 0) >= reportsMax)
    throw new AppError('not_allowed', `A folder has at most ${reportsMax} reports: remove old ones`)
}
