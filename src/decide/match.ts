import type { Decision } from './analysis.ts'

/** Scores under `min` are strangers, from `max` on the same person; between them an operator decides. */
export interface MatchBand {
  min: number
  max: number
}

/** The decision for one score; equal counts as reached, and what is no number reaches nothing. */
export function decideMatch(score: number, { min, max }: MatchBand): Decision {
  if (score >= max) return 'SUCCESS'
  return score >= min ? 'OPERATOR_REQUIRED' : 'DECLINED'
}
