/** The snapshot of a medium: the whole picture, upright, as a JPEG of at most 1280 pixels. */
import type { Assessor } from '../assess/assessor.ts'
import { AppError, invariant } from '../errors.ts'
import { type MediumRecord, snapshotFile } from '../records/medium.ts'
import { keepBlobs } from '../storage/blobs/blob-ledger.ts'
import type { MediumStore } from '../storage/folders/medium-store.ts'
import { type KeepingDeps, writeWithBlobs } from './keep-media.ts'

export interface SnapshotDeps extends KeepingDeps {
  assessor: Assessor
  media: MediumStore
}

/** @throws {AppError} `not_found` when the medium's file has gone */
export async function makeSnapshot(
  parts: SnapshotDeps,
  folderId: string,
  { id, files }: MediumRecord,
): Promise<void> {
  const original = files && (await parts.blobs.read(files.original))
  if (!original) throw new AppError('not_found', '')
  const wanted = { faces: false, template: false, pad: false, bestShot: false, snapshot: true }
  const { snapshot } = await parts.assessor.assess(original, wanted)
  invariant(snapshot, 'the snapshot was asked for')
  const { bytes, mimeType } = snapshot
  await writeWithBlobs(parts, [{ key: snapshotFile(folderId, id), bytes, mimeType }], (keys) =>
    parts.media.touch(id, parts.nowMs(), (queries) => keepBlobs(queries, keys)),
  )
}

export async function hasSnapshot({ blobs }: KeepingDeps, folderId: string, id: string): Promise<boolean> {
  const opened = await blobs.open(snapshotFile(folderId, id))
  await opened?.body.cancel()
  return opened !== null
}
