/** Interface of a type of analysis. Other code uses the registry and knows no type by name. */
import type { AssessmentRequest } from '../assess/assessment.ts'
import type { DecidedMedium, Decision, Outcome } from '../decide/analysis.ts'
import type { MatchBand } from '../decide/match.ts'
import type { Reason, ReasonCode } from '../decide/reasons.ts'
import type { ComparedMedium } from '../decide/same-picture.ts'
import type { QualityGate } from '../decide/sample.ts'
import type { FieldName } from '../documents/fields.ts'
import type { ModelId } from '../inference/engine.ts'
import type { DocumentNetworks, Profile } from '../inference/manifest.ts'
import type { SearchDeps } from './identification/search.ts'

/** Parameters of a search for persons. */
export interface RequestedSearch {
  /** `null` means the company's only collection. */
  collectionId: string | null
  /** Maximum number of persons returned for one medium. */
  countMax: number
  /** Maximum FPIR; `null` if the threshold does not depend on the size of the collection. */
  falseHitsMax: number | null
}

/** Parameters that a caller may set; each type uses those that apply to it. */
export interface AnalysisRequest {
  thresholdSpoofing: number | null
  /** Further thresholds of liveness, for the evidence of a screen and of movement. Absent: those scores decide nothing alone. */
  thresholdReplay?: number
  thresholdLiveness?: number
  band: MatchBand
  extractBestShot: boolean
  extractActionShot: boolean
  /** For identifications only. */
  search?: RequestedSearch
  /** For documents only: the fields that decide, and whether both pages of a booklet are read. Absent for the default. */
  fieldsToCheck?: readonly FieldName[]
  doublePageSpread?: boolean
}

/** Rules set by the operator of the server. */
export interface AnalysisRules {
  /** Default if the analysis sets no threshold of its own. */
  thresholdSpoofing: number
  gate: QualityGate
  gestureRequired: boolean
  movementRequired: boolean
  challengeRequired: boolean
  /** Whether documents are analysed at all. */
  documents: boolean
  /** Whether only media that are tagged as documents, or not at all, are analysed as documents. */
  documentTags: boolean
}

/** The part of an analysis that depends on its type, as stored and shown. */
export interface SubjectOf<Type extends string, Parameters, Evidence> {
  type: Type
  parameters: Parameters
  /** `null` until the analysis has run. */
  evidence: Evidence | null
}

/** What decides which media an analysis takes, besides their tags. */
interface SelectionRules<Medium> extends Pick<AnalysisRules, 'documentTags'> {
  isClip(medium: Medium): boolean
}

type AnySubject = SubjectOf<string, unknown, unknown>

/** Dependencies of decisions besides the media. */
interface AnalysisDeps extends SearchDeps {
  nowMs(): number
}

/** `parameters` are those that were actually applied. */
export interface DecidedAnalysis<Subject extends AnySubject> {
  outcome: Outcome
  parameters: Subject['parameters']
  evidence: NonNullable<Subject['evidence']>
}

/** Scores of a medium by what they were made of, 0…1; `null` for those that could not be determined. */
export type ScoreParts = Readonly<Record<string, number | null>>

/** An outcome that a sandbox was asked for. */
export interface StagedOutcome {
  /** `null` for a failure. */
  decision: Decision | null
  /** `null` for a success. */
  code: ReasonCode | null
  /** The media of the analysis. */
  mediumIds: readonly string[]
}

export interface AnalysisKind<Subject extends AnySubject> {
  type: Subject['type']
  /**
   * Creates the analysis as requested, before it has run.
   * @throws {AppError} `not_implemented` for types that are switched off
   */
  open(request: AnalysisRequest, rules: AnalysisRules): Subject
  /**
   * Selects the media of the analysis.
   * @param named media listed in the request; `null` if it lists none
   * @param rules absent if the question is only whether there are any
   * @throws {AppError} `media_missing` if no medium is eligible, `value_invalid` if there are too few
   */
  select<Medium extends { tags: readonly string[] }>(
    media: readonly Medium[],
    named: readonly Medium[] | null,
    rules?: SelectionRules<Medium>,
  ): Medium[]
  /** Results that it needs of a medium with these tags, besides faces. */
  wants(parameters: Subject['parameters'], tags: readonly string[]): Partial<AssessmentRequest>
  /** The pictures of each medium that it shows. */
  shots(parameters: Subject['parameters']): { best: boolean; action: boolean; portrait?: boolean }
  /** The score that its decision depends on, 0…1, for statistics; `null` for none. */
  decisiveScore(evidence: NonNullable<Subject['evidence']>): number | null
  /** What its score of a medium is made of; absent if it scores no single media. */
  parts?(medium: Pick<DecidedMedium, 'id' | 'assessment'>, decided: DecidedAnalysis<Subject>): ScoreParts
  /** Why the service decided so, at least one reason, also where the evidence was removed. In any order. */
  explain(subject: Subject, decision: Exclude<Decision, 'SUCCESS'>): Reason[]
  /** What `decide` would find and say for an outcome, made up: sandboxes look at nothing. `explain` gives its reason. */
  stage(
    staged: StagedOutcome,
    parameters: Subject['parameters'],
  ): { evidence: NonNullable<Subject['evidence']>; reason?: string }
  /** The networks that its decision depends on. */
  networks(profile: Profile, documents: DocumentNetworks): ModelId[]
  /**
   * @param media in the order of the analysis, assessed as requested by `wants`
   * @throws {AppError} if something that the decision needs is missing
   */
  decide(
    deps: AnalysisDeps,
    media: readonly ComparedMedium[],
    parameters: Subject['parameters'],
  ): Promise<DecidedAnalysis<Subject>>
}
