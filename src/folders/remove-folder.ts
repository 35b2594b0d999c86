/** Removes folders and media: the transaction that removes a record also enters its files for removal. */
import type { NamedMedium } from '../records/medium.ts'
import type { Queries } from '../storage/database.ts'
import type { FolderStore } from '../storage/folders/folder-store.ts'
import type { MediumStore } from '../storage/folders/medium-store.ts'
import { dropReports } from '../storage/reports/drop-reports.ts'
import { dropMediumFiles, type RecordFiles } from './record-files.ts'

export interface FolderRemovalDeps {
  folders: FolderStore
  files: RecordFiles
  nowMs(): number
}

/** The files of media, and the reports of their folder, which may show them. */
const dropFilesOf =
  (folderId: string, nowMs: number) => async (queries: Queries, removed: readonly NamedMedium[]) => {
    await dropMediumFiles(folderId, nowMs)(queries, removed)
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
  id: string,
): Promise<void> {
  const nowMs = deps.nowMs()
  await deps.media.delete(id, nowMs, dropFilesOf(folderId, nowMs))
  await deps.files.remove({ ownerId: folderId, dueMs: nowMs })
}
