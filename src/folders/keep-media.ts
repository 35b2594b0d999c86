/** Between records and files: files are written before the record that names them, and go after it. */
import type { MediumRecord } from '../records/medium.ts'
import { bestShotFile, snapshotFile } from '../records/medium.ts'
import type { BlobLedger } from '../storage/blob-ledger.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import type { NewBlob } from './received-medium.ts'

/** An upload that has not become part of a record by then is taken for broken off. */
const uploadMaxMs = 3600_000

export interface KeepingParts {
  blobs: BlobStore
  ledger: BlobLedger
  nowMs(): number
}

/**
 * Writes the files of a record to come. The record's own transaction must keep them (`keepBlobs`); else they go again.
 * @throws {AppError} `external_failed` when the store cannot be reached; nothing stays behind
 */
export async function writeBlobs(
  { blobs, ledger, nowMs }: KeepingParts,
  files: readonly NewBlob[],
): Promise<void> {
  if (files.length === 0) return
  await ledger.expect(
    files.map(({ key }) => key),
    nowMs() + uploadMaxMs,
  )
  await Promise.all(files.map(({ key, bytes, mimeType }) => blobs.put(key, bytes, mimeType)))
}

/** All files that a medium may have. */
export const filesOf = (folderId: string, { id, files }: MediumRecord): string[] =>
  files ? [files.original, files.thumbnail, bestShotFile(folderId, id), snapshotFile(folderId, id)] : []

/** Removes the files whose time has come; what cannot be removed now is tried again. */
export async function sweepBlobs({ blobs, ledger, nowMs }: KeepingParts): Promise<number> {
  let removed = 0
  for (;;) {
    const keys = await ledger.due(nowMs(), 100)
    if (keys.length === 0) return removed
    await blobs.delete(keys)
    await ledger.removed(keys)
    removed += keys.length
  }
}
