/** Stores folders, media and analyses of requests before they are answered. */
import type { AnalysisType } from '../analyses/registry.ts'
import { AppError } from '../errors.ts'
import type { RequestedAnalysis } from '../records/analysis.ts'
import { type FolderRecord, noReview, type Submission, type SubmittedMedium } from '../records/folder.ts'
import type { MediumRecord } from '../records/medium.ts'
import { keepBlobs } from '../storage/blobs/blob-ledger.ts'
import type { Queries } from '../storage/database.ts'
import type { RowCipher } from '../storage/encryption/row-cipher.ts'
import type { AnalysisStore } from '../storage/folders/analysis-store.ts'
import { findingsRow, keepFindings } from '../storage/folders/findings.ts'
import type { FolderStore } from '../storage/folders/folder-store.ts'
import type { MediumStore } from '../storage/folders/medium-store.ts'
import type { EngineResponses } from './engine-responses.ts'
import type { PlannedAnalysis } from './plan-analyses.ts'
import type { Processor } from './processor.ts'
import {
  type CallContext,
  decodedOnly,
  describeShots,
  listMediumBlobs,
  type ReceivedMedium,
} from './received-medium.ts'
import type { RecordFiles } from './record-files.ts'

export interface SubmittingDeps {
  processor: Processor
  files: RecordFiles
  folders: FolderStore
  media: MediumStore
  analyses: AnalysisStore
  /** Of what is found in media. */
  cipher: RowCipher
  engineResponses: EngineResponses
  nowMs(): number
  randomId(): string
}

/** The findings of media, as rows. */
const findingsOf = (
  { cipher, processor }: SubmittingDeps,
  folderId: string,
  received: readonly ReceivedMedium[],
) =>
  Promise.all(
    received
      .filter(({ record }) => record.sample)
      .map(({ record, assessment, wanted }) => {
        const actionGesture = wanted.actionShot ?? null
        const kept = { mediumId: record.id, found: assessment, ...describeShots(assessment), actionGesture }
        return findingsRow(cipher, folderId, kept, processor.modelsKey)
      }),
  )

const announcement = ({ randomId, nowMs }: SubmittingDeps) => ({ eventId: randomId(), nowMs: nowMs() })

/**
 * Stores a folder. If it has analyses, they are finished when this resolves.
 * @param also makes further writes of the same transaction
 * @throws {AppError} as `Processor.findSandbox` and `Processor.runSubmission`
 */
export async function submitFolder(
  deps: SubmittingDeps,
  submission: Submission,
  call: CallContext,
  also?: (folderId: string) => (queries: Queries) => Promise<void>,
): Promise<{ folder: FolderRecord; received: readonly ReceivedMedium[] }> {
  const sandbox = await deps.processor.findSandbox(submission)
  const { folder, received } =
    submission.analyses.length > 0
      ? await deps.processor.runSubmission({ ...submission, sandbox }, true, call)
      : await openFolder(deps, submission, call)
  const responses = await Promise.all(
    folder.analyses.map((analysis) => deps.engineResponses(folder, analysis)),
  )
  const blobs = [...received.flatMap((medium) => listMediumBlobs(medium, folder.id)), ...responses.flat()]
  // The time of the folder that is answered, so that it is read later as it was answered.
  const announced = { ...announcement(deps), nowMs: folder.updatedAtMs }
  await deps.files.write(blobs, async (keys) => {
    const found = await findingsOf(deps, folder.id, received)
    return deps.folders.insert(folder, announced, async (queries) => {
      await keepBlobs(queries, keys)
      for (const row of found) await keepFindings(queries, row)
      await also?.(folder.id)(queries)
    })
  })
  return { folder, received }
}

async function openFolder(deps: SubmittingDeps, submission: Submission, call: CallContext) {
  const { companyId, userId, resolutionEndpoint, metadata, media } = submission
  const id = deps.randomId()
  const createdAtMs = deps.nowMs()
  const received = await deps.processor.receive(media, () => decodedOnly, { storedIn: id, createdAtMs }, call)
  const folder: FolderRecord = {
    id,
    companyId,
    userId,
    createdAtMs,
    updatedAtMs: createdAtMs,
    resolutionEndpoint,
    metadata,
    media: received.map(({ record }) => record),
    analyses: [],
    result: { resolutionStatus: 'INITIAL', systemResolution: 'INITIAL' },
    review: noReview,
    isCleared: false,
  }
  return { folder, received }
}

/**
 * Adds media to a folder.
 * @throws {AppError} `not_allowed` for a folder whose personal data was removed, and as `Assessor.assess`
 */
export async function submitMedia(
  { processor, files, media: store, nowMs }: SubmittingDeps,
  folder: FolderRecord,
  media: readonly SubmittedMedium[],
  call: CallContext,
): Promise<MediumRecord[]> {
  if (folder.isCleared) throw new AppError('not_allowed', 'Personal data of the folder was removed')
  const reception = { storedIn: folder.id, createdAtMs: nowMs() }
  const received = await processor.receive(media, () => decodedOnly, reception, call)
  const blobs = received.flatMap((medium) => listMediumBlobs(medium, folder.id))
  const records = received.map(({ record }) => record)
  await files.write(blobs, (keys) =>
    store.insert(folder.id, records, nowMs(), (queries) => keepBlobs(queries, keys)),
  )
  return records
}

/** A capture is one attempt: if an analysis of it has failed, the same cannot be tried again. */
function refuseRepeats(folder: FolderRecord, planned: readonly PlannedAnalysis<MediumRecord>[]): void {
  const failed = folder.analyses.filter(({ outcome }) => outcome.status === 'failed')
  const hasFailed = (type: AnalysisType, id: string): boolean =>
    failed.some(
      (analysis) => analysis.type === type && analysis.media.some(({ mediumId }) => mediumId === id),
    )
  const isRepeat = planned.some(({ subject, media }) =>
    media.some(({ id, capture }) => capture && hasFailed(subject.type, id)),
  )
  if (!isRepeat) return
  throw new AppError(
    'container_unreadable',
    'An analysis of this container has failed: get a new session token and capture again',
  )
}

/**
 * Adds analyses, which run in the background. Those that a switch of the operator declines have ended.
 * @returns the folder with them
 * @throws {AppError} `container_unreadable` for media of a container whose analysis failed before; as `planAnalyses`
 *   and `Processor.findSandbox`
 */
export async function submitAnalyses(
  deps: SubmittingDeps,
  folder: FolderRecord,
  requests: readonly RequestedAnalysis[],
  resolutionEndpoint: string | null,
): Promise<FolderRecord> {
  const sandbox = await deps.processor.findSandbox(folder)
  const byId = new Map(folder.media.map((medium) => [medium.id, medium]))
  const planned = deps.processor.plan(requests, folder.media, (id) => byId.get(id.toLowerCase()))
  refuseRepeats(folder, planned)
  const added = deps.processor.open(planned, ({ id }) => id, deps.nowMs(), sandbox)
  const ended = added.filter(({ outcome }) => outcome.status !== 'processing')
  const responses = await Promise.all(ended.map((analysis) => deps.engineResponses(folder, analysis)))
  await deps.files.write(responses.flat(), (keys) =>
    deps.analyses.insert(folder.id, added, resolutionEndpoint, announcement(deps), (queries) =>
      keepBlobs(queries, keys),
    ),
  )
  return { ...folder, analyses: added }
}
