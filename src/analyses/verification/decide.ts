import { failures, type Outcome } from '../../decide/analysis.ts'
import type { Cohort } from '../../decide/cohort.ts'
import {
  type Comparison,
  compareTemplates,
  type NormalizedTemplate,
  normalizeTemplate,
} from '../../decide/comparison.ts'
import { decideMatch, type MatchBand } from '../../decide/match.ts'
import { type ComparedMedium, isSamePicture } from '../../decide/same-picture.ts'
import { checkTemplate, type QualityGate } from '../../decide/sample.ts'
import { invariant } from '../../errors.ts'

export interface VerificationParameters {
  band: MatchBand
  gate: QualityGate
}

export interface ComparedPair extends Comparison {
  mediumIds: readonly [string, string]
}

interface VerificationVerdict {
  outcome: Outcome
  /** All pairs; empty if a medium has no template or two media are the same picture. */
  pairs: readonly ComparedPair[]
}

/** 1:1 verification of every pair of media; the least similar pair decides. The analysis fails if two media are the same picture. */
export function decideVerification(
  cohort: Cohort,
  media: readonly ComparedMedium[],
  parameters: VerificationParameters,
): VerificationVerdict {
  for (const medium of media) {
    const failure = checkTemplate(medium, parameters.gate)
    if (failure) return { outcome: { status: 'failed', failure }, pairs: [] }
  }
  const normalized = media.map((medium): { medium: ComparedMedium; template: NormalizedTemplate } => {
    const template = medium.assessment.subject?.template
    invariant(template?.status === 'extracted', 'a biometry analysis needs media with templates')
    return { medium, template: normalizeTemplate(cohort, template.template) }
  })
  const compared = normalized.flatMap((a, index) =>
    normalized.slice(index + 1).map((b) => ({ a, b, comparison: compareTemplates(a.template, b.template) })),
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
