/** One folder with all that is known of it: what Instant shows and forgets, and what persistent mode will save. */
import type { Assessment } from '../assess/assessment.ts'
import type { AnalysisType, Outcome } from '../decide/analysis.ts'
import type { BiometryParameters, ComparedPair } from '../decide/biometry.ts'
import type { FolderResult } from '../decide/folder-result.ts'
import type { MediumLiveness, QualityParameters } from '../decide/quality.ts'

/** The caller's own fields, kept and returned as they are. */
export type Metadata = Readonly<Record<string, unknown>>

export interface MediumRecord {
  id: string
  /** Name of the part it came in. */
  key: string
  tags: readonly string[]
  originalName: string | null
  metadata: Metadata
  createdAtMs: number
  assessment: Assessment
}

export interface QualityAnalysis {
  type: 'QUALITY'
  parameters: QualityParameters
  results: readonly MediumLiveness[]
  worstAttack: number | null
}

export interface BiometryAnalysis {
  type: 'BIOMETRY'
  parameters: BiometryParameters
  pairs: readonly ComparedPair[]
  cohortId: string
}

export type AnalysisRecord = {
  id: string
  /** The same for all analyses of one request. */
  groupId: string
  mediumIds: readonly string[]
  metadata: Metadata
  createdAtMs: number
  finishedAtMs: number
  outcome: Outcome
} & (QualityAnalysis | BiometryAnalysis)

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
}

/** An analysis as it was asked for. */
export interface RequestedAnalysis {
  type: AnalysisType
  /** Keys of media parts; `null` means all that are eligible. */
  mediumKeys: readonly string[] | null
  thresholdSpoofing: number | null
  band: { min: number; max: number }
  extractBestShot: boolean
  metadata: Metadata
}

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
