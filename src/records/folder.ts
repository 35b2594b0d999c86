/** A folder with its media and analyses. Instant returns it and forgets it; the persistent service stores it. */
import type { CaptureFacts } from '../decide/capture.ts'
import type { AnalysisRun, FolderResult } from '../decide/folder-result.ts'
import type { OpenedMedium } from '../media/opened-medium.ts'
import type { AnalysisHead, AnalysisRecord, RequestedAnalysis } from './analysis.ts'
import type { MediumRecord, Metadata } from './medium.ts'
import type { SandboxWish } from './sandbox.ts'

/** An operator's review of the whole folder. */
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
  /** In lists that do not show the analyses, instead of them; the oldest first. */
  heads?: readonly AnalysisHead[]
  result: FolderResult
  review: FolderReview
  /** Whether personal data was removed. */
  isCleared: boolean
}

export const noReview: FolderReview = { status: null, comment: null, authorId: null, atMs: null }

/** The parts of an analysis that the folder result depends on. */
export const toAnalysisRun = (analysis: AnalysisRecord): AnalysisRun => ({
  type: analysis.type,
  ...(analysis.type === 'identification' ? { collectionId: analysis.parameters.collectionId } : {}),
  mediumIds: analysis.media.map(({ mediumId }) => mediumId),
  createdAtMs: analysis.createdAtMs,
  outcome: analysis.outcome,
  operator: analysis.operator?.decision ?? null,
})

export interface SubmittedMedium {
  key: string
  medium: OpenedMedium
  originalName: string | null
  tags: readonly string[]
  metadata: Metadata
  /** Absent unless the medium came in a container. */
  capture?: CaptureFacts
}

/** A request as all routes parse it. */
export interface Submission {
  companyId: string | null
  userId: string | null
  resolutionEndpoint: string | null
  metadata: Metadata
  media: readonly SubmittedMedium[]
  analyses: readonly RequestedAnalysis[]
  /** What it asks for; absent or `null` outside of sandboxes. */
  sandbox?: SandboxWish | null
  /** The JSON of the request as it was sent, unknown members included; absent if nobody sent any. */
  payload?: Metadata
  /** The session tokens of a container, which the request uses up; absent for other requests. */
  spends?: readonly { tokenId: string; expiresAtMs: number }[]
}
