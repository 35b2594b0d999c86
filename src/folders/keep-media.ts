/** Between records and files: files are written before the record that names them, and go after it. */
import { AppError } from '../errors.ts'
import type { MediumRecord } from '../records/medium.ts'
import { shotFile, shotKinds, snapshotFile } from '../records/medium.ts'
import type { BlobLedger } from '../storage/blobs/blob-ledger.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import type { NewBlob } from './received-medium.ts'

/** An upload that has not become part of a record by then is taken for broken off. */
const uploadMaxMs = 3600_000

export interface KeepingDeps {
  blobs: BlobStore
  ledger: BlobLedger
  nowMs(): number
}

async function putAll(blobs: BlobStore, files: readonly NewBlob[]): Promise<void> {
  const puts = await Promise.allSettled(
    files.map(({ key, bytes, mimeType }) => blobs.put(key, bytes, mimeType)),
  )
  const failed = puts.find((put) => put.status === 'rejected')
  if (failed) throw failed.reason
}

/** Files whose record did not come about go: now, or at the next sweep where it is the store that failed. */
async function forget(parts: KeepingDeps, keys: readonly string[], why: unknown): Promise<void> {
  try {
    await parts.ledger.registerPending(keys, parts.nowMs())
    if (!(why instanceof AppError && why.code === 'external_failed')) await sweepBlobs(parts)
  } catch {
    // The caller is told the first failure; the files go when their upload counts as broken off.
  }
}

/**
 * Writes the files of a record, then the record, whose transaction must keep them (`keepBlobs`). Files go again where
 * their record does not come about.
 * @param writeRecord is given the files' keys
 * @throws {AppError} `external_failed` when the store cannot be reached, and what `writeRecord` throws
 */
export async function writeWithBlobs<T>(
  parts: KeepingDeps,
  files: readonly NewBlob[],
  writeRecord: (keys: readonly string[]) => Promise<T>,
): Promise<T> {
  const keys = files.map(({ key }) => key)
  if (keys.length === 0) return writeRecord(keys)
  await parts.ledger.registerPending(keys, parts.nowMs() + uploadMaxMs)
  try {
    await putAll(parts.blobs, files)
    return await writeRecord(keys)
  } catch (error) {
    await forget(parts, keys, error)
    throw error
  }
}

/** All files that a medium may have. */
export const filesOf = (folderId: string, { id, files }: MediumRecord): string[] =>
  files
    ? [
        files.original,
        files.thumbnail,
        ...(files.preview ? [files.preview] : []),
        ...shotKinds.map((kind) => shotFile(folderId, id, kind)),
        snapshotFile(folderId, id),
      ]
    : []

/** Removes the files whose time has come; what cannot be removed now is tried again. */
export async function sweepBlobs({ blobs, ledger, nowMs }: KeepingDeps): Promise<number> {
  let removed = 0
  for (;;) {
    const keys = await ledger.due(nowMs(), 100)
    if (keys.length === 0) return removed
    await blobs.delete(keys)
    await ledger.strike(keys)
    removed += keys.length
  }
}
