import { invariant } from '../errors.ts'
import type { DecidedMedium, Decision, Outcome } from './analysis.ts'
import type { Cohort } from './cohort.ts'
import { type Comparison, compareTemplates, type PlacedTemplate, placeTemplate } from './comparison.ts'
import { type QualityGate, templateFailure } from './sample.ts'

/** Scores under `min` are strangers, from `max` on the same person; between them an operator decides. */
export interface MatchBand {
  min: number
  max: number
}

export interface BiometryParameters {
  band: MatchBand
  gate: QualityGate
}

export interface ComparedPair extends Comparison {
  mediumIds: readonly [string, string]
}

export interface BiometryVerdict {
  outcome: Outcome
  /** All pairs; empty when a medium gave no template. */
  pairs: readonly ComparedPair[]
}

/** The decision for one score; equal counts as reached, and what is no number reaches nothing. */
export function decideMatch(score: number, { min, max }: MatchBand): Decision {
  if (score >= max) return 'SUCCESS'
  return score >= min ? 'OPERATOR_REQUIRED' : 'DECLINED'
}

/** 1:1 verification of every pair of media; the least similar pair decides. */
export function decideBiometry(
  cohort: Cohort,
  media: readonly DecidedMedium[],
  parameters: BiometryParameters,
): BiometryVerdict {
  for (const medium of media) {
    const failure = templateFailure(medium, parameters.gate)
    if (failure) return { outcome: { status: 'failed', failure }, pairs: [] }
  }
  const placed = media.map(({ id, assessment }): { id: string; template: PlacedTemplate } => {
    const template = assessment.subject?.template
    invariant(template?.status === 'extracted', 'a biometry analysis needs media with templates')
    return { id, template: placeTemplate(cohort, template.template) }
  })
  const pairs = placed.flatMap((a, index) =>
    placed
      .slice(index + 1)
      .map((b): ComparedPair => ({ ...compareTemplates(a.template, b.template), mediumIds: [a.id, b.id] })),
  )
  invariant(pairs.length > 0, 'a biometry analysis needs two media')
  const least = Math.min(...pairs.map(({ score }) => score))
  return { outcome: { status: 'finished', decision: decideMatch(least, parameters.band) }, pairs }
}
