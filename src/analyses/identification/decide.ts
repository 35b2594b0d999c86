/** 1:N identification: whether the subject of a medium is among the persons of a collection. */

import type { DecidedMedium, Failure, Outcome } from '../../decide/analysis.ts'
import type { Cohort } from '../../decide/cohort.ts'
import {
  type Comparison,
  type NormalizedTemplate,
  normalizeTemplate,
  thresholdForRate,
} from '../../decide/comparison.ts'
import { decideMatch, type MatchBand } from '../../decide/match.ts'
import { checkTemplate, type QualityGate } from '../../decide/sample.ts'
import { invariant } from '../../errors.ts'

export interface IdentificationParameters {
  collectionId: string
  band: MatchBand
  /** Persons to be named for one medium, at most. */
  countMax: number
  /** Share of strangers who may be found by mistake, which raises the band with the size of the list; `null` leaves it. */
  falseHitsMax: number | null
  gate: QualityGate
}

/** A person who was found, by the photo that is most like the probe. */
export interface Hit extends Comparison {
  personId: string
  imageId: string
}

/** What was found for one medium: hits that reach the band, the best one first. */
export interface MediumHits {
  mediumId: string
  hits: readonly Hit[]
}

export interface Probe {
  mediumId: string
  template: NormalizedTemplate
}

/** The templates to search for, or why there is one that cannot be had. */
export function collectProbes(
  cohort: Cohort,
  media: readonly DecidedMedium[],
  gate: QualityGate,
): { probes: Probe[]; failure: Failure | null } {
  const failure = media.map((medium) => checkTemplate(medium, gate)).find((found) => found !== null)
  if (failure) return { probes: [], failure }
  const probes = media.map(({ id, assessment }): Probe => {
    const template = assessment.subject?.template
    invariant(template?.status === 'extracted', 'a collection analysis needs media with templates')
    return { mediumId: id, template: normalizeTemplate(cohort, template.template) }
  })
  return { probes, failure: null }
}

/**
 * The band for a list of so many templates. A stranger is compared with all of them: where one comparison goes wrong with the
 * rate f, one of n does with 1 − (1 − f)ⁿ.
 */
export function raiseBandForList(
  { band, falseHitsMax }: Pick<IdentificationParameters, 'band' | 'falseHitsMax'>,
  templates: number,
): MatchBand {
  if (!falseHitsMax || templates === 0) return band
  const threshold = thresholdForRate(-Math.expm1(Math.log1p(-falseHitsMax) / templates))
  return { min: Math.max(band.min, threshold), max: Math.max(band.max, threshold) }
}

/**
 * Whoever is in the collection is declined; between the bounds of the band an operator decides, and so it is where nobody was
 * found in a collection that could not be searched as a whole.
 */
export function decideIdentification(
  found: readonly MediumHits[],
  isComplete: boolean,
  band: MatchBand,
): Outcome {
  const decisions = found.flatMap(({ hits }) => hits.map(({ score }) => decideMatch(score, band)))
  if (decisions.includes('SUCCESS')) return { status: 'finished', decision: 'DECLINED' }
  const isOpen = !isComplete || decisions.includes('OPERATOR_REQUIRED')
  return { status: 'finished', decision: isOpen ? 'OPERATOR_REQUIRED' : 'SUCCESS' }
}
