import type { AnalysisSubject } from '../../../analyses/registry.ts'
import type { Comparison } from '../../../decide/comparison.ts'
import type { Json } from '../../spaced-json.ts'
import type { ViewOptions } from '../media-view.ts'

/** A score with the threshold that it was judged by. */
export interface JudgedScore {
  /** The wire name of the score. */
  name: string
  mediumIds: readonly string[]
  /** The person of a collection that the score belongs to. */
  personId?: string
  score: number
  /** What the score must be for a positive result. */
  rule: 'below' | 'above' | 'at least'
  threshold: number
  /** `open` if an operator decides. */
  state: 'met' | 'not met' | 'open'
}

/** The parts of an analysis that depend on its type. They are `null` or empty if the analysis has not run. */
export interface SubjectView<Subject extends AnalysisSubject> {
  /** The wire name of the type. */
  word: string
  /** Another name that requests may use. */
  synonym?: string
  /** The scores of the analysis as a whole. */
  results(subject: Subject): Json
  /** The scores of one medium. */
  mediumResults(subject: Subject, mediumId: string, options: ViewOptions): Json
  /** The candidates for the subject of a medium. */
  persons(subject: Subject, mediumId: string): Json[]
  /** Its scores with their thresholds, for reports; empty if it has not run. */
  scores(subject: Subject, options: Pick<ViewOptions, 'showReplay' | 'showLiveness'>): JudgedScore[]
  /** The parameters that the decision was made with. */
  confs(subject: Subject): Json
  /** Further details of the result, besides networks and samples. */
  technical(subject: Subject): Readonly<Record<string, Json>>
  /** What it found besides scores, for reports; absent if that is nothing. */
  facts?(subject: Subject): Readonly<Record<string, Json>>
}

/** The largest and the smallest match score; `null` without scores. */
export const confidenceRange = (scores: readonly number[]): Json =>
  scores.length === 0 ? null : { max_confidence: Math.max(...scores), min_confidence: Math.min(...scores) }

export const comparisonView = ({ score, distance, normalisedDistance }: Comparison) => ({
  confidence: score,
  distance,
  normalised_distance: normalisedDistance,
})
