import { invariant } from '../errors.ts'
import { type Decision, failures, type Outcome } from './analysis.ts'
import type { Cohort } from './cohort.ts'
import { type Comparison, compareTemplates, type PlacedTemplate, placeTemplate } from './comparison.ts'
import { type ComparedMedium, isSamePicture } from './same-picture.ts'
import { type QualityGate, templateFailure } from './sample.ts'

/** Scores under `min` are strangers, from `max` on the same person; between them an operator decides. */
export interface MatchBand {
  min: number
  max: number
}

export interface VerificationParameters {
  band: MatchBand
  gate: QualityGate
}

export interface ComparedPair extends Comparison {
  mediumIds: readonly [string, string]
}

export interface VerificationVerdict {
  outcome: Outcome
  /** All pairs; empty when a medium gave no template, or is the same picture as another. */
  pairs: readonly ComparedPair[]
}

/** The decision for one score; equal counts as reached, and what is no number reaches nothing. */
export function decideMatch(score: number, { min, max }: MatchBand): Decision {
  if (score >= max) return 'SUCCESS'
  return score >= min ? 'OPERATOR_REQUIRED' : 'DECLINED'
}

/** 1:1 verification of every pair of media; the least similar pair decides. A picture compared with itself fails all. */
export function decideVerification(
  cohort: Cohort,
  media: readonly ComparedMedium[],
  parameters: VerificationParameters,
): VerificationVerdict {
  for (const medium of media) {
    const failure = templateFailure(medium, parameters.gate)
    if (failure) return { outcome: { status: 'failed', failure }, pairs: [] }
  }
  const placed = media.map((medium): { medium: ComparedMedium; template: PlacedTemplate } => {
    const template = medium.assessment.subject?.template
    invariant(template?.status === 'extracted', 'a biometry analysis needs media with templates')
    return { medium, template: placeTemplate(cohort, template.template) }
  })
  const compared = placed.flatMap((a, index) =>
    placed.slice(index + 1).map((b) => ({ a, b, comparison: compareTemplates(a.template, b.template) })),
  )
  const same = compared.find(({ a, b, comparison }) => isSamePicture(a.medium, b.medium, comparison.distance))
  if (same) {
    const failure = { ...failures.samePicture, mediumId: same.b.medium.id }
    return { outcome: { status: 'failed', failure }, pairs: [] }
  }
  const pairs = compared.map(
    ({ a, b, comparison }): ComparedPair => ({ ...comparison, mediumIds: [a.medium.id, b.medium.id] }),
  )
  invariant(pairs.length > 0, 'a biometry analysis needs two media')
  const least = Math.min(...pairs.map(({ score }) => score))
  return { outcome: { status: 'finished', decision: decideMatch(least, parameters.band) }, pairs }
}
