/** Between rows and records of folders, media and analyses. */

import { invariant } from '../errors.ts'
import type { AnalysedMedium, AnalysisOutcome, AnalysisRecord, AnalysisSubject } from '../records/analysis.ts'
import type { FolderRecord } from '../records/folder.ts'
import { bestShotFile, type MediumRecord, mediumFiles } from '../records/medium.ts'
import type { analyses, folders, KeptAnalysedMedium, media } from './schema.ts'

export type FolderRow = typeof folders.$inferSelect
type MediumRow = typeof media.$inferSelect
export type AnalysisRow = typeof analyses.$inferSelect

export const mediumRow = (folderId: string, medium: MediumRecord): MediumRow => ({
  id: medium.id,
  folderId,
  tags: medium.tags,
  originalName: medium.originalName,
  original: medium.original,
  thumbnail: medium.thumbnail,
  sample: medium.sample,
  metadata: medium.metadata,
  createdAt: medium.createdAtMs,
  updatedAt: medium.updatedAtMs,
})

export const mediumRecord = (row: MediumRow): MediumRecord => ({
  id: row.id,
  tags: row.tags,
  originalName: row.originalName,
  original: row.original,
  thumbnail: row.thumbnail,
  sample: row.sample,
  metadata: row.metadata,
  createdAtMs: row.createdAt,
  updatedAtMs: row.updatedAt,
  files: mediumFiles(row.folderId, row.id, row.original.mimeType),
})

/** What an analysis came to, in the columns that lists filter by. */
export function verdictColumns({ outcome, operator }: Pick<AnalysisRecord, 'outcome' | 'operator'>) {
  const states = { processing: 'PROCESSING', failed: 'FAILED', finished: 'FINISHED' } as const
  const state = states[outcome.status]
  const systemResolution = outcome.status === 'finished' ? outcome.decision : state
  return {
    state,
    systemResolution,
    resolutionStatus: operator?.decision ?? systemResolution,
    failure: outcome.status === 'failed' ? outcome.failure : null,
    operator,
  }
}

/** The columns that a run of an analysis fills. Pictures lie in the blob store. */
export const resultColumns = (analysis: AnalysisRecord) => ({
  ...verdictColumns(analysis),
  evidence: analysis.evidence,
  models: analysis.models,
  media: analysis.media.map(({ associationId, mediumId, outputImages }) => ({
    associationId,
    mediumId,
    outputImages: outputImages.map(({ id, name, original }) => ({ id, name, original })),
  })),
  updatedAt: analysis.updatedAtMs,
})

/** @param dueAtMs from when a worker may take it up, `null` when it has ended */
export const analysisRow = (
  folder: Pick<FolderRecord, 'id' | 'companyId'>,
  analysis: AnalysisRecord,
  dueAtMs: number | null,
): AnalysisRow => ({
  id: analysis.id,
  folderId: folder.id,
  companyId: folder.companyId,
  groupId: analysis.groupId,
  type: analysis.type,
  parameters: analysis.parameters,
  metadata: analysis.metadata,
  ...resultColumns(analysis),
  attempts: 0,
  dueAt: dueAtMs,
  leasedBy: null,
  startedAt: null,
  createdAt: analysis.createdAtMs,
})

function outcomeOf({ state, systemResolution, failure }: AnalysisRow): AnalysisOutcome {
  if (state === 'PROCESSING') return { status: 'processing' }
  if (state === 'FAILED') {
    invariant(failure, 'a failed analysis says why')
    return { status: 'failed', failure }
  }
  return { status: 'finished', decision: systemResolution as 'SUCCESS' | 'DECLINED' | 'OPERATOR_REQUIRED' }
}

/** A medium of an analysis together with what its own row says. */
function analysedMedium(
  { folderId, state }: AnalysisRow,
  { associationId, mediumId, outputImages }: KeptAnalysedMedium,
  medium: MediumRecord | undefined,
): AnalysedMedium {
  return {
    associationId,
    mediumId,
    sample: state === 'FINISHED' ? (medium?.sample ?? null) : null,
    outputImages: medium
      ? outputImages.map((image) => ({
          ...image,
          thumbnail: medium.thumbnail,
          files: medium.files && { ...medium.files, original: bestShotFile(folderId, mediumId) },
          bytes: null,
        }))
      : [],
  }
}

/** @param media of the folder; without them the analysis says of its media no more than which they are */
export const analysisRecord = (row: AnalysisRow, media: readonly MediumRecord[]): AnalysisRecord => ({
  // Type, parameters and evidence were taken from one record and still belong together.
  ...({ type: row.type, parameters: row.parameters, evidence: row.evidence } as AnalysisSubject),
  id: row.id,
  groupId: row.groupId,
  media: row.media.map((kept) =>
    analysedMedium(
      row,
      kept,
      media.find(({ id }) => id === kept.mediumId),
    ),
  ),
  metadata: row.metadata,
  createdAtMs: row.createdAt,
  updatedAtMs: row.updatedAt,
  outcome: outcomeOf(row),
  operator: row.operator,
  models: row.models,
})

export const folderRow = (folder: FolderRecord): FolderRow => ({
  id: folder.id,
  companyId: folder.companyId,
  userId: folder.userId,
  resolutionEndpoint: folder.resolutionEndpoint,
  resolutionStatus: folder.result.resolutionStatus,
  systemResolution: folder.result.systemResolution,
  operatorStatus: folder.review.status,
  operatorComment: folder.review.comment,
  reviewAuthorId: folder.review.authorId,
  reviewAt: folder.review.atMs,
  isCleared: folder.isCleared,
  metadata: folder.metadata,
  createdAt: folder.createdAtMs,
  updatedAt: folder.updatedAtMs,
})

export const folderRecord = (
  row: FolderRow,
  media: readonly MediumRecord[],
  analyses: readonly AnalysisRecord[],
): FolderRecord => ({
  id: row.id,
  companyId: row.companyId,
  userId: row.userId,
  resolutionEndpoint: row.resolutionEndpoint,
  // Written from a result, so that it is one.
  result: {
    resolutionStatus: row.resolutionStatus,
    systemResolution: row.systemResolution,
  } as FolderRecord['result'],
  review: {
    status: row.operatorStatus,
    comment: row.operatorComment,
    authorId: row.reviewAuthorId,
    atMs: row.reviewAt,
  },
  isCleared: row.isCleared,
  metadata: row.metadata,
  createdAtMs: row.createdAt,
  updatedAtMs: row.updatedAt,
  media,
  analyses,
})
