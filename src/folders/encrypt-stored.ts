/** Encrypts what was stored in plain before there were keys. A server may run meanwhile. */
import { hasCode } from '../errors.ts'
import { engineResponseFile } from '../records/analysis.ts'
import { reportFile, reportForms } from '../records/report.ts'
import type { BlobLedger } from '../storage/blobs/blob-ledger.ts'
import { type BlobStore, findMimeType } from '../storage/blobs/blob-store.ts'
import type { DataKeys } from '../storage/encryption/data-keys.ts'
import type { EncryptedBlobs } from '../storage/encryption/encrypted-blobs.ts'
import type { PlainRows } from '../storage/encryption/plain-rows.ts'
import { listMediumFiles } from './record-files.ts'

export interface EncryptionDeps {
  /** Those made only for records: what is removed meanwhile must get no key again. */
  keys: DataKeys
  rows: PlainRows
  /** The files as they lie there. */
  plain: Pick<BlobStore, 'read'>
  encrypted: EncryptedBlobs
  ledger: BlobLedger
  nowMs(): number
  onStep(step: string, done: number): void
}

export interface Encrypted {
  files: number
  /** Why the files of some records could not be encrypted. They stop no others. */
  failures: readonly unknown[]
  templates: number
  findings: number
  /** Keys that the first key of the settings had not wrapped. */
  rewrapped: number
  /** Those among them that do not open. */
  unopened: number
}

/** A file whose record is removed while it is encrypted is deleted after this time; those that belong to a record stay. */
const uploadMaxMs = 3600_000

/** The names of all files that records may have, those of one record at a time. */
async function* listNames(rows: PlainRows): AsyncGenerator<string[]> {
  for await (const media of rows.media())
    for (const { ownerId, ...medium } of media) yield listMediumFiles(ownerId, medium)
  for await (const reports of rows.reports())
    for (const { id, folderId } of reports) yield reportForms.map((form) => reportFile(folderId, id, form))
  for await (const analyses of rows.analyses())
    for (const { id, folderId, media } of analyses)
      yield media.map(({ mediumId }) => engineResponseFile(folderId, id, mediumId))
}

/** @returns how many it encrypted */
async function encryptFiles(deps: EncryptionDeps, names: readonly string[]): Promise<number> {
  const { plain, encrypted, ledger, nowMs } = deps
  const looks = await Promise.all(names.map(async (name) => ((await encrypted.isPlain(name)) ? name : null)))
  const found = looks.filter((name) => name !== null)
  if (found.length === 0) return 0
  const register = () => ledger.registerPending(found, nowMs() + uploadMaxMs)
  await register()
  try {
    for (const name of found) {
      const bytes = await plain.read(name)
      if (bytes) await encrypted.put(name, bytes, findMimeType(name)!)
    }
  } finally {
    // A removal meanwhile has struck the names before the files were written again.
    await register()
  }
  return found.length
}

/** @throws {AppError} `database_failed`; the next call continues */
export async function encryptStored(deps: EncryptionDeps): Promise<Encrypted> {
  const { keys, rows, onStep } = deps
  const rotated = await keys.rewrap()
  const templates = await rows.encryptTemplates()
  const findings = await rows.encryptFindings()
  let files = 0
  const failures: unknown[] = []
  for await (const names of listNames(rows)) {
    try {
      files += await encryptFiles(deps, names)
    } catch (error) {
      if (!hasCode(error, 'external_failed')) throw error
      failures.push(error)
    }
    onStep('files', files)
  }
  return { files, failures, templates, findings, ...rotated }
}
