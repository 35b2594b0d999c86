/** What each type of analysis brings with it. Everything else asks the registry, and knows no type by name. */
import type { AssessmentRequest } from '../assess/assessment.ts'
import type { Outcome } from '../decide/analysis.ts'
import type { MatchBand } from '../decide/match.ts'
import type { ComparedMedium } from '../decide/same-picture.ts'
import type { QualityGate } from '../decide/sample.ts'
import type { ModelId } from '../inference/engine.ts'
import type { Profile } from '../inference/manifest.ts'
import type { SearchDeps } from './identification/search.ts'

/** Where to look for persons. */
export interface RequestedSearch {
  /** `null` means the company's only collection. */
  collectionId: string | null
  /** Persons to be named for one medium, at most. */
  countMax: number
  /** Share of strangers who may be found by mistake; `null` where the threshold does not depend on the size of the list. */
  falseHitsMax: number | null
}

/** What a caller may set; each type takes what concerns it. */
export interface AnalysisRequest {
  thresholdSpoofing: number | null
  band: MatchBand
  extractBestShot: boolean
  extractActionShot: boolean
  /** Of identifications alone. */
  search?: RequestedSearch
}

/** What the operator of the server sets. */
export interface AnalysisRules {
  /** Where the analysis names no threshold of its own. */
  thresholdSpoofing: number
  gate: QualityGate
  gestureRequired: boolean
  movementRequired: boolean
}

/** The part of an analysis that belongs to its type, as it is kept and shown. */
export interface SubjectOf<Type extends string, Parameters, Evidence> {
  type: Type
  parameters: Parameters
  /** `null` until the analysis has run. */
  evidence: Evidence | null
}

type AnySubject = SubjectOf<string, unknown, unknown>

/** What analyses decide with besides their media. */
export type AnalysisDeps = SearchDeps

/** Parameters come back as they were in force. */
export interface DecidedAnalysis<Subject extends AnySubject> {
  outcome: Outcome
  parameters: Subject['parameters']
  evidence: NonNullable<Subject['evidence']>
}

export interface AnalysisKind<Subject extends AnySubject> {
  type: Subject['type']
  /**
   * The analysis as it is asked for, before it has run.
   * @throws {AppError} `not_implemented` for types of later releases
   */
  open(request: AnalysisRequest, rules: AnalysisRules): Subject
  /**
   * The media that it works on.
   * @param named those that the request lists for it, `null` when it lists none
   * @throws {AppError} `media_missing` when no medium takes part, `value_invalid` when there are too few
   */
  select<Medium extends { tags: readonly string[] }>(
    media: readonly Medium[],
    named: readonly Medium[] | null,
  ): Medium[]
  /** What is to be found in a medium of these tags, besides its faces. */
  wants(parameters: Subject['parameters'], tags: readonly string[]): Partial<AssessmentRequest>
  /** The pictures that it shows of each medium. */
  shots(parameters: Subject['parameters']): { best: boolean; action: boolean }
  /** The networks whose findings it decides on. */
  networks(profile: Profile): ModelId[]
  /**
   * @param media in the order of the analysis, each with all that `wants` named
   * @throws {AppError} where what it decides with is not there
   */
  decide(
    deps: AnalysisDeps,
    media: readonly ComparedMedium[],
    parameters: Subject['parameters'],
  ): Promise<DecidedAnalysis<Subject>>
}
