import type { AnalysisSubject } from '../../../analyses/registry.ts'
import type { Comparison } from '../../../decide/comparison.ts'
import type { Json } from '../../spaced-json.ts'
import type { ViewOptions } from '../media-view.ts'

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
  /** The parameters that the decision was made with. */
  confs(subject: Subject): Json
  /** Further details of the result, besides networks and samples. */
  technical(subject: Subject): Readonly<Record<string, Json>>
}

/** The largest and the smallest match score; `null` without scores. */
export const confidenceRange = (scores: readonly number[]): Json =>
  scores.length === 0 ? null : { max_confidence: Math.max(...scores), min_confidence: Math.min(...scores) }

export const comparisonView = ({ score, distance, normalisedDistance }: Comparison) => ({
  confidence: score,
  distance,
  normalised_distance: normalisedDistance,
})
