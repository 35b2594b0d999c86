/** The files of records: written before the record that names them, removed after it. */
import { hasCode } from '../errors.ts'
import { type MediumRecord, shotFile, shotKinds, shotThumbnailFile, snapshotFile } from '../records/medium.ts'
import type { BlobLedger } from '../storage/blobs/blob-ledger.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'

/** An upload that has not become part of a record within this time counts as abandoned. */
const uploadMaxMs = 3600_000
const removedAtOnce = 100

/** A file to write to the blob store. */
export interface NewBlob {
  key: string
  bytes: Uint8Array
  mimeType: string
}

export interface RecordFilesDeps {
  blobs: BlobStore
  ledger: BlobLedger
  nowMs(): number
}

/** Every file in the blob store belongs to a record, or is entered in the ledger for removal. */
export class RecordFiles {
  readonly #deps: RecordFilesDeps

  constructor(deps: RecordFilesDeps) {
    this.#deps = deps
  }

  /**
   * Writes the files of a record, then the record, whose transaction must keep them (`keepBlobs`). The files are removed
   * again when the record cannot be written.
   * @param writeRecord is given the files' keys
   * @throws {AppError} `external_failed` when the store cannot be reached, and what `writeRecord` throws
   */
  async write<T>(
    files: readonly NewBlob[],
    writeRecord: (keys: readonly string[]) => Promise<T>,
  ): Promise<T> {
    const { ledger, nowMs } = this.#deps
    const keys = files.map(({ key }) => key)
    if (keys.length === 0) return writeRecord(keys)
    await ledger.registerPending(keys, nowMs() + uploadMaxMs)
    try {
      await this.#putAll(files)
      return await writeRecord(keys)
    } catch (error) {
      await this.#discard(keys, error)
      throw error
    }
  }

  /**
   * The same for several records, of which some may not be written: the files of those are removed again.
   * @param writeRecords is given the files' keys, and resolves to those that belong to a record now
   * @throws {AppError} as `write`
   */
  async writeSome(
    files: readonly NewBlob[],
    writeRecords: (keys: readonly string[]) => Promise<readonly string[]>,
  ): Promise<void> {
    await this.write(files, async (keys) => {
      const kept = new Set(await writeRecords(keys))
      const left = keys.filter((key) => !kept.has(key))
      if (left.length > 0) await this.#discard(left, null)
    })
  }

  /** @throws {AppError} `external_failed` when the store cannot be reached */
  read(key: string): Promise<Uint8Array | null> {
    return this.#deps.blobs.read(key)
  }

  /** @throws {AppError} `external_failed` when the store cannot be reached */
  async exists(key: string): Promise<boolean> {
    const opened = await this.#deps.blobs.open(key)
    await opened?.body.cancel()
    return opened !== null
  }

  /** Removes the files that are due; what cannot be removed now is tried again by the next sweep. */
  async sweep(): Promise<void> {
    const { blobs, ledger, nowMs } = this.#deps
    for (;;) {
      const dueMs = nowMs()
      const keys = await ledger.due(dueMs, removedAtOnce)
      if (keys.length === 0) return
      await blobs.delete(keys)
      await ledger.strike(keys, dueMs)
    }
  }

  async #putAll(files: readonly NewBlob[]): Promise<void> {
    const puts = await Promise.allSettled(
      files.map(({ key, bytes, mimeType }) => this.#deps.blobs.put(key, bytes, mimeType)),
    )
    const failed = puts.find((put) => put.status === 'rejected')
    if (failed) throw failed.reason
  }

  /** Removes files whose record was not written: now, or with the next sweep where the store itself failed. */
  async #discard(keys: readonly string[], why: unknown): Promise<void> {
    try {
      await this.#deps.ledger.registerPending(keys, this.#deps.nowMs())
      if (!hasCode(why, 'external_failed')) await this.sweep()
    } catch {
      // The caller gets the first failure; the files are removed when their upload counts as abandoned.
    }
  }
}

/** All files that a medium may have. */
export const listMediumFiles = (folderId: string, { id, files }: MediumRecord): string[] =>
  files
    ? [
        files.original,
        files.thumbnail,
        ...(files.preview ? [files.preview] : []),
        ...shotKinds.flatMap((kind) => [shotFile(folderId, id, kind), shotThumbnailFile(folderId, id, kind)]),
        snapshotFile(folderId, id),
      ]
    : []
