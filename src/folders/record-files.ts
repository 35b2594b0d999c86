/** The files of records: written before the record that names them, removed after it. */
import { hasCode } from '../errors.ts'
import { storedTypes } from '../records/file-types.ts'
import {
  mediumFiles,
  type NamedMedium,
  shotFile,
  shotKinds,
  shotThumbnailFile,
  snapshotFile,
} from '../records/medium.ts'
import { type BlobLedger, dropBlobs, type ScheduledFiles } from '../storage/blobs/blob-ledger.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import type { Queries } from '../storage/database.ts'

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
  /** Told why files could not be deleted. They are tried again. */
  onUndeleted(failures: readonly Error[]): void
  /** Told of failures that the caller does not learn of. */
  onError(error: unknown): void
}

/** How many files were due, and how many of them are deleted now. */
interface Progress {
  due: number
  deleted: number
}

/**
 * Writes files. One that cannot be written stops no other, and nothing is written after this has ended.
 * @throws {AppError} `external_failed` for the first that cannot be written
 */
export async function putAll(blobs: BlobStore, files: readonly NewBlob[]): Promise<void> {
  const puts = await Promise.allSettled(
    files.map(({ key, bytes, mimeType }) => blobs.put(key, bytes, mimeType)),
  )
  const failed = puts.find((put) => put.status === 'rejected')
  if (failed) throw failed.reason
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
    const { blobs, ledger, nowMs } = this.#deps
    const keys = files.map(({ key }) => key)
    if (keys.length === 0) return writeRecord(keys)
    await ledger.registerPending(keys, nowMs() + uploadMaxMs)
    try {
      await putAll(blobs, files)
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
    return (await this.#deps.blobs.stat(key)) !== null
  }

  /**
   * Deletes the files that a removal has scheduled, and no others, once its transaction is committed. The sweeps delete what cannot be deleted
   * now, so this never rejects.
   */
  async remove(scheduled: ScheduledFiles): Promise<void> {
    try {
      let found: Progress
      do found = await this.#deleteDue(scheduled)
      while (found.due === removedAtOnce && found.deleted > 0)
    } catch (error) {
      this.#deps.onError(error)
    }
  }

  /**
   * Deletes all files that are due. One that cannot be deleted stops no other: it is put off.
   * @returns whether nothing is left, or the time was up before
   */
  async sweep(isTimeUp: () => boolean = () => false): Promise<'all' | 'some'> {
    for (;;) {
      const { due } = await this.#deleteDue()
      if (due < removedAtOnce) return 'all'
      if (isTimeUp()) return 'some'
    }
  }

  async #deleteDue(only?: ScheduledFiles): Promise<Progress> {
    const { blobs, ledger, nowMs, onUndeleted } = this.#deps
    const dueMs = nowMs()
    const keys = await ledger.due(dueMs, removedAtOnce, only)
    if (keys.length === 0) return { due: 0, deleted: 0 }
    const failures = await blobs.delete(keys)
    const deleted = keys.filter((key) => !failures.has(key))
    await ledger.strike(deleted, dueMs)
    if (failures.size > 0) {
      const postponed = await ledger.postpone([...failures.keys()], dueMs, nowMs())
      if (postponed.length > 0) onUndeleted(postponed.map((key) => failures.get(key)!))
    }
    return { due: keys.length, deleted: deleted.length }
  }

  /** Removes files whose record was not written: now, or with the next sweep where the store itself failed. */
  async #discard(keys: readonly string[], why: unknown): Promise<void> {
    const { ledger, nowMs, onError } = this.#deps
    const dueMs = nowMs()
    try {
      await ledger.registerPending(keys, dueMs)
    } catch (error) {
      // The caller gets the first failure; the files are removed when their upload counts as abandoned.
      return onError(error)
    }
    if (hasCode(why, 'external_failed')) return
    const owners = new Set(keys.map((key) => key.slice(0, key.indexOf('/'))))
    for (const ownerId of owners) await this.remove({ ownerId, dueMs })
  }
}

/** All files that a medium may have; where its type is not known, those of a medium of any type. */
export function listMediumFiles(ownerId: string, { id, mimeType }: NamedMedium): string[] {
  const types = storedTypes.filter((type) => type === mimeType)
  const named = (types.length > 0 ? types : storedTypes).flatMap((type): string[] =>
    Object.values(mediumFiles(ownerId, id, { mimeType: type, hasPreview: true })),
  )
  return [
    ...new Set(named),
    ...shotKinds.flatMap((kind) => [shotFile(ownerId, id, kind), shotThumbnailFile(ownerId, id, kind)]),
    snapshotFile(ownerId, id),
  ]
}

/** Schedules the files of media, or of photos, for deletion, within the transaction that removes these. */
export const dropMediumFiles =
  (ownerId: string, nowMs: number) =>
  (queries: Queries, removed: readonly NamedMedium[]): Promise<void> =>
    dropBlobs(
      queries,
      removed.flatMap((medium) => listMediumFiles(ownerId, medium)),
      nowMs,
    )
