/** One folder with all that is known of it: what Instant shows and forgets, and what persistent mode saves. */
import type { AnalysisRun, FolderResult } from '../decide/folder-result.ts'
import type { AnalysisRecord, RequestedAnalysis } from './analysis.ts'
import type { MediumRecord, Metadata } from './medium.ts'

/** What an operator noted on the folder as a whole. */
export interface FolderReview {
  status: string | null
  comment: string | null
  authorId: string | null
  atMs: number | null
}

export interface FolderRecord {
  id: string
  companyId: string | null
  userId: string | null
  createdAtMs: number
  updatedAtMs: number
  resolutionEndpoint: string | null
  metadata: Metadata
  media: readonly MediumRecord[]
  analyses: readonly AnalysisRecord[]
  result: FolderResult
  review: FolderReview
  /** Whether personal data was removed. */
  isCleared: boolean
}

export const noReview: FolderReview = { status: null, comment: null, authorId: null, atMs: null }

/** An analysis as the folder's result sees it. */
export const toAnalysisRun = (analysis: AnalysisRecord): AnalysisRun => ({
  type: analysis.type,
  ...(analysis.type === 'identification' ? { collectionId: analysis.parameters.collectionId } : {}),
  mediumIds: analysis.media.map(({ mediumId }) => mediumId),
  createdAtMs: analysis.createdAtMs,
  outcome: analysis.outcome,
})

export interface SubmittedMedium {
  key: string
  bytes: Uint8Array
  originalName: string | null
  tags: readonly string[]
  metadata: Metadata
}

/** What every door turns a request into. */
export interface Submission {
  companyId: string | null
  userId: string | null
  resolutionEndpoint: string | null
  metadata: Metadata
  media: readonly SubmittedMedium[]
  analyses: readonly RequestedAnalysis[]
}
