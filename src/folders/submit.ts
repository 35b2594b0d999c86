/** What callers bring: folders, media and analyses are kept before they are answered. */
import type { AssessmentRequest } from '../assess/assessment.ts'
import { AppError } from '../errors.ts'
import type { RequestedAnalysis } from '../records/analysis.ts'
import { type FolderRecord, noReview, type Submission, type SubmittedMedium } from '../records/folder.ts'
import type { MediumRecord } from '../records/medium.ts'
import { keepBlobs } from '../storage/blobs/blob-ledger.ts'
import type { Queries } from '../storage/database.ts'
import type { AnalysisStore } from '../storage/folders/analysis-store.ts'
import { keepFindings } from '../storage/folders/findings.ts'
import type { FolderStore } from '../storage/folders/folder-store.ts'
import type { MediumStore } from '../storage/folders/medium-store.ts'
import { type KeepingDeps, writeWithBlobs } from './keep-media.ts'
import { modelsKey } from './models-key.ts'
import { openAnalysis, planAnalyses } from './plan-analyses.ts'
import { type ProcessingDeps, processSubmission } from './process-submission.ts'
import { blobsOf, type ReceivedMedium, receiveMedia, shotFacts } from './received-medium.ts'

export type SubmittingDeps = ProcessingDeps &
  KeepingDeps & { folders: FolderStore; media: MediumStore; analyses: AnalysisStore }

/** An upload is decoded, so that nothing unreadable is kept; everything else waits for its analyses. */
const decodedOnly: AssessmentRequest = { faces: false, template: false, pad: false, bestShot: false }

/** Within the transaction of a record: its files stay, and what was found is kept. */
const settle =
  (parts: SubmittingDeps, received: readonly ReceivedMedium[], keys: readonly string[]) =>
  async (queries: Queries): Promise<void> => {
    await keepBlobs(queries, keys)
    const models = modelsKey(parts.profileName, parts.profile)
    for (const { record, assessment } of received) {
      if (!record.sample) continue
      const kept = { mediumId: record.id, found: assessment, ...shotFacts(assessment) }
      await keepFindings(queries, kept, models)
    }
  }

const announcement = ({ randomId, nowMs }: SubmittingDeps) => ({ eventId: randomId(), nowMs: nowMs() })

/** Keeps a folder; with analyses it is finished when it is answered. */
export async function submitFolder(
  parts: SubmittingDeps,
  submission: Submission,
): Promise<{ folder: FolderRecord; received: readonly ReceivedMedium[] }> {
  const { folder, received } =
    submission.analyses.length > 0
      ? await processSubmission(parts, submission, true)
      : await openFolder(parts, submission)
  const blobs = received.flatMap((medium) => blobsOf(medium, folder.id))
  await writeWithBlobs(parts, blobs, (keys) =>
    parts.folders.insert(folder, announcement(parts), settle(parts, received, keys)),
  )
  return { folder, received }
}

async function openFolder(parts: SubmittingDeps, submission: Submission) {
  const { companyId, userId, resolutionEndpoint, metadata, media } = submission
  const id = parts.randomId()
  const createdAtMs = parts.nowMs()
  const received = await receiveMedia(parts, media, () => decodedOnly, id)
  const folder: FolderRecord = {
    ...{ id, companyId, userId, createdAtMs, resolutionEndpoint, metadata },
    updatedAtMs: createdAtMs,
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
  parts: SubmittingDeps,
  folder: FolderRecord,
  media: readonly SubmittedMedium[],
): Promise<MediumRecord[]> {
  if (folder.isCleared) throw new AppError('not_allowed', 'Personal data of the folder was removed')
  const received = await receiveMedia(parts, media, () => decodedOnly, folder.id)
  const blobs = received.flatMap((medium) => blobsOf(medium, folder.id))
  const records = received.map(({ record }) => record)
  await writeWithBlobs(parts, blobs, (keys) =>
    parts.media.insert(folder.id, records, parts.nowMs(), (queries) => keepBlobs(queries, keys)),
  )
  return records
}

/**
 * Adds analyses for the background to carry out.
 * @returns the folder with them
 * @throws {AppError} as `planAnalyses`
 */
export async function submitAnalyses(
  parts: SubmittingDeps,
  folder: FolderRecord,
  requests: readonly RequestedAnalysis[],
  resolutionEndpoint: string | null,
): Promise<FolderRecord> {
  const byId = new Map(folder.media.map((medium) => [medium.id, medium]))
  const planned = planAnalyses(requests, folder.media, (id) => byId.get(id.toLowerCase()), parts)
  const groupId = parts.randomId()
  const added = planned.map((plan) =>
    openAnalysis(
      plan,
      plan.media.map(({ id }) => id),
      groupId,
      parts,
    ),
  )
  await parts.analyses.insert(folder.id, added, resolutionEndpoint, announcement(parts))
  return { ...folder, analyses: added }
}
