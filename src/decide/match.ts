import type { Decision } from './analysis.ts'

/** Scores below `min` mean different persons, scores from `max` on the same person; in between an operator decides. */
export interface MatchBand {
  min: number
  max: number
}

/** The decision for one score. Bounds are inclusive; `NaN` is declined. */
export function decideMatch(score: number, { min, max }: MatchBand): Decision {
  if (score >= max) return 'SUCCESS'
  return score >= min ? 'OPERATOR_REQUIRED' : 'DECLINED'
}
