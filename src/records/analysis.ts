import type { AnalysisRequest, ScoreParts } from '../analyses/analysis-kind.ts'
import type { AnalysisSubject, AnalysisType } from '../analyses/registry.ts'
import type { SampleDetail, StageTimes } from '../assess/assessment.ts'
import type { Failure, Outcome, Verdict } from '../decide/analysis.ts'
import type { AskedApproach, AskedColours, CaptureStep } from '../decide/challenge/step.ts'
import type { DocumentReading } from '../documents/reading.ts'
import type { ModelId } from '../inference/engine.ts'
import type { ProfileName } from '../inference/manifest.ts'
import type { ApproachRecord } from '../vision/challenge/approach-record.ts'
import type { LightRecord } from '../vision/challenge/light-record.ts'
import {
  type Metadata,
  type PictureFacts,
  type PictureFiles,
  type SampleFacts,
  type ShotFacts,
  type ShotKind,
  shotKinds,
} from './medium.ts'
import type { SandboxName } from './sandbox.ts'

/** A picture made by an analysis. */
export interface OutputImage {
  id: string
  kind: ShotKind
  original: ShotFacts
  /** Its own, or that of its medium. */
  thumbnail: PictureFacts
  /** `null` if nothing is stored. */
  files: PictureFiles | null
  /** `null` if the picture was not read. */
  bytes: Uint8Array | null
}

/** Hexadecimal digits in which the ids of an analysis and of its pictures differ. */
const ownDigits = 4

/**
 * The id of a picture: that of its analysis with other last digits, so that it leads to its analysis without an index of its own.
 * @param place of its medium in the analysis
 */
export function outputImageId(analysisId: string, place: number, kind: ShotKind): string {
  const number = 1 + place * shotKinds.length + shotKinds.indexOf(kind)
  const digits = Number.parseInt(analysisId.slice(-ownDigits), 16) + number
  return analysisId.slice(0, -ownDigits) + (digits % 16 ** ownDigits).toString(16).padStart(ownDigits, '0')
}

/** The ids between which that of the analysis of a picture is. */
export function analysisIdsOf(imageId: string): { first: string; last: string } {
  const common = imageId.slice(0, -ownDigits)
  return { first: common + '0'.repeat(ownDigits), last: common + 'f'.repeat(ownDigits) }
}

/** The part of one medium in one analysis. */
export interface AnalysedMedium {
  associationId: string
  mediumId: string
  /** `null` until the analysis has run. */
  sample: SampleFacts | null
  outputImages: readonly OutputImage[]
}

/** What the steps of a challenge are measured on. */
export interface ChallengeDetail {
  /** Those that were asked for and performed; times of the page. */
  steps: readonly { asked: AskedApproach | AskedColours; performed: CaptureStep }[]
  light: LightRecord
  approach: ApproachRecord | null
}

/** How the result of one medium came about. */
export interface MediumDetail {
  /** `null` if there is no face. */
  sample: SampleDetail | null
  parts: ScoreParts
  /** Only of analyses of documents; `null` for clips. */
  document?: DocumentReading | null
  /** Only of liveness of clips with steps to measure, and in answers of Instant: it is not stored. */
  challenge?: ChallengeDetail
  /** `null` if earlier findings were used. */
  stageMs: StageTimes | null
}

/** The profile and networks that made the result. */
export interface ModelsUsed {
  profile: ProfileName
  assurance: string
  networks: readonly ModelId[]
}

/** The newest decision of an operator on an analysis. */
export interface OperatorDecision {
  decision: Verdict
  comment: string
  authorId: string
  atMs: number
  /** Its record; absent of decisions of 1.0.0. */
  decisionId?: string
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
  /** In the order of `media`, `[]` until the analysis has run; `null` if not requested. */
  details: readonly MediumDetail[] | null
  /** The outcome that was asked for in a sandbox, where nothing is looked at; absent elsewhere. */
  sandbox?: SandboxName
} & AnalysisSubject

/** Name of the file with the result of an analysis, by the contract; there is one for each medium. */
export const engineResponseFile = (folderId: string, analysisId: string, mediumId: string): string =>
  `${folderId}/${analysisId}_${mediumId}_engine_response.json`

/** What a folder shows of its analyses if they are not shown themselves. */
export type AnalysisHead = Pick<AnalysisRecord, 'id' | 'groupId' | 'outcome' | 'operator' | 'sandbox'>

/** How often an analysis is tried before it fails; the contract's number. */
export const analysisAttemptsMax = 3

/** Why an analysis failed without a decision on its media; `code` is the contract's `error_code`. */
export const abandonments = {
  timedOut: { code: 3101, reasons: ['timed_out'], message: 'The analysis took too long' },
  attemptsSpent: {
    code: 3102,
    reasons: ['attempts_failed'],
    message: 'The analysis could not be carried out',
  },
  mediumLost: {
    code: 3103,
    reasons: ['medium_removed'],
    message: 'A medium of the analysis no longer exists',
  },
  collectionLost: {
    code: 3104,
    reasons: ['collection_removed'],
    message: 'The collection of the analysis no longer exists',
  },
  dataRemoved: { code: 3105, reasons: ['data_removed'], message: 'Personal data of the folder was removed' },
} as const satisfies Record<string, Omit<Failure, 'mediumId'>>

/** An analysis as it was requested. */
export interface RequestedAnalysis extends AnalysisRequest {
  type: AnalysisType
  /** Names of media: keys of parts in a single request, ids afterwards; `null` means all that are eligible. */
  mediumKeys: readonly string[] | null
  metadata: Metadata
  /** Whether the answer shows how the result came about. */
  detail?: boolean
}
