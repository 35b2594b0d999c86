import type { AnalysisRequest } from '../analyses/analysis-kind.ts'
import type { AnalysisSubject, AnalysisType } from '../analyses/registry.ts'
import type { Decision, Failure, Outcome } from '../decide/analysis.ts'
import type { ModelId } from '../inference/engine.ts'
import type { ProfileName } from '../inference/manifest.ts'
import type { Metadata, PictureFacts, PictureFiles, SampleFacts, ShotKind } from './medium.ts'

/** A picture that an analysis made. */
export interface OutputImage {
  id: string
  kind: ShotKind
  original: PictureFacts
  thumbnail: PictureFacts
  /** `null` where nothing is stored. */
  files: PictureFiles | null
  /** `null` where the picture was not read back. */
  bytes: Uint8Array | null
}

/** One medium as it takes part in one analysis. */
export interface AnalysedMedium {
  associationId: string
  mediumId: string
  /** `null` until the analysis has run. */
  sample: SampleFacts | null
  outputImages: readonly OutputImage[]
}

/** What answered. */
export interface ModelsUsed {
  profile: ProfileName
  assurance: string
  networks: readonly ModelId[]
}

/** A human's verdict on an analysis. */
export interface OperatorDecision {
  decision: Extract<Decision, 'SUCCESS' | 'DECLINED'>
  comment: string
}

export type AnalysisOutcome = Outcome | { status: 'processing' }

export type AnalysisRecord = {
  id: string
  /** The same for all analyses of one request. */
  groupId: string
  media: readonly AnalysedMedium[]
  metadata: Metadata
  createdAtMs: number
  updatedAtMs: number
  outcome: AnalysisOutcome
  operator: OperatorDecision | null
  models: ModelsUsed | null
} & AnalysisSubject

/** Why an analysis ended without a look at its media; the numbers are the contract's `error_code`. */
export const abandonments = {
  timedOut: { code: 3101, message: 'The analysis took too long' },
  attemptsSpent: { code: 3102, message: 'The analysis could not be carried out' },
  mediumLost: { code: 3103, message: 'A medium of the analysis is no longer there' },
  collectionLost: { code: 3104, message: 'The collection of the analysis is no longer there' },
} as const satisfies Record<string, Omit<Failure, 'mediumId'>>

/** An analysis as it was asked for. */
export interface RequestedAnalysis extends AnalysisRequest {
  type: AnalysisType
  /** Names of media: keys of parts in a single request, ids afterwards; `null` means all that are eligible. */
  mediumKeys: readonly string[] | null
  metadata: Metadata
}
