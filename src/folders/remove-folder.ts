/** Removes folders and media: the transaction that removes a record also enters its files for removal. */
import type { MediumRecord } from '../records/medium.ts'
import { dropBlobs } from '../storage/blobs/blob-ledger.ts'
import type { Queries } from '../storage/database.ts'
import { type FolderStore, readMedia } from '../storage/folders/folder-store.ts'
import type { MediumStore } from '../storage/folders/medium-store.ts'
import { dropReports } from '../storage/reports/drop-reports.ts'
import { listMediumFiles, type RecordFiles } from './record-files.ts'

export interface FolderRemovalDeps {
  folders: FolderStore
  files: RecordFiles
  nowMs(): number
}

/** Enters the files that a folder has within the transaction, so that no concurrent upload is missed. */
const dropFilesOf = (folderId: string, nowMs: number) => async (queries: Queries) => {
  const media = await readMedia(queries, folderId)
  await dropBlobs(
    queries,
    media.flatMap((medium) => listMediumFiles(folderId, medium)),
    nowMs,
  )
  await dropReports(queries, folderId, nowMs)
}

/** Removes a folder with everything in it. */
export async function removeFolder(deps: FolderRemovalDeps, id: string): Promise<void> {
  const nowMs = deps.nowMs()
  await deps.folders.delete(id, nowMs, dropFilesOf(id, nowMs))
  await deps.files.remove({ ownerId: id, dueMs: nowMs })
}

/** Removes all personal data of a folder; the folder and its result stay. */
export async function clearFolder(deps: FolderRemovalDeps, id: string): Promise<void> {
  const nowMs = deps.nowMs()
  await deps.folders.clear(id, nowMs, dropFilesOf(id, nowMs))
  await deps.files.remove({ ownerId: id, dueMs: nowMs })
}

/**
 * Removes one medium and its analyses, and the reports of the folder, which may show it.
 * @throws {AppError} `not_allowed` while one of them runs
 */
export async function removeMedium(
  deps: { media: MediumStore; files: RecordFiles; nowMs(): number },
  folderId: string,
  medium: MediumRecord,
): Promise<void> {
  const nowMs = deps.nowMs()
  await deps.media.delete(medium.id, nowMs, async (queries) => {
    await dropBlobs(queries, listMediumFiles(folderId, medium), nowMs)
    await dropReports(queries, folderId, nowMs)
  })
  await deps.files.remove({ ownerId: folderId, dueMs: nowMs })
}
