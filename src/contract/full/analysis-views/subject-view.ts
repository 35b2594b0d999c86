import type { AnalysisSubject } from '../../../analyses/registry.ts'
import type { Comparison } from '../../../decide/comparison.ts'
import type { Json } from '../../spaced-json.ts'
import type { ViewOptions } from '../media-view.ts'

/** The parts of an analysis that each type shows in its own way. `null` and empty lists stand where it has not run. */
export interface SubjectView<Subject extends AnalysisSubject> {
  /** What the type is called at the wire. */
  word: string
  /** Another word for it that requests may use. */
  synonym?: string
  /** The scores of the analysis as a whole. */
  results(subject: Subject): Json
  /** The scores of one medium. */
  mediumResults(subject: Subject, mediumId: string, options: ViewOptions): Json
  /** The persons that a medium's subject may be. */
  persons(subject: Subject, mediumId: string): Json[]
  /** The parameters that the verdict was made with. */
  confs(subject: Subject): Json
  /** What shows how the answer came about, beside networks and samples. */
  technical(subject: Subject): Readonly<Record<string, Json>>
}

/** The largest and the smallest of match scores, `null` for none. */
export const confidenceRange = (scores: readonly number[]): Json =>
  scores.length === 0 ? null : { max_confidence: Math.max(...scores), min_confidence: Math.min(...scores) }

export const comparisonView = ({ score, distance, normalisedDistance }: Comparison) => ({
  confidence: score,
  distance,
  normalised_distance: normalisedDistance,
})
