/** 1:N identification: whether the subject of a medium is among the persons of a collection. */

import type { DecidedMedium, Failure, Outcome } from '../../decide/analysis.ts'
import type { Cohort } from '../../decide/cohort.ts'
import {
  type Comparison,
  type NormalizedTemplate,
  normalizeTemplate,
  rateForThreshold,
  type SearchRate,
  thresholdForRate,
} from '../../decide/comparison.ts'
import { decideMatch, type MatchBand } from '../../decide/match.ts'
import { checkTemplate, type QualityGate } from '../../decide/sample.ts'
import { invariant } from '../../errors.ts'

export interface IdentificationParameters {
  collectionId: string
  band: MatchBand
  /** Maximum number of persons returned for one medium. */
  countMax: number
  /** Maximum FPIR, which raises the band with the size of the collection; `null` leaves the band as it is. */
  falseHitsMax: number | null
  gate: QualityGate
}

/** A person found, with the photo most similar to the probe. */
export interface Hit extends Comparison {
  personId: string
  imageId: string
}

/** Hits of one medium that reach the band, best first. */
export interface MediumHits {
  mediumId: string
  hits: readonly Hit[]
}

interface Probe {
  mediumId: string
  template: NormalizedTemplate
}

/** Collects the templates to search for; `failure` if a medium has none. */
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
 * Raises the band to keep the FPIR of a search among `templates` templates below its maximum. If one comparison has the false
 * match rate f, a search among n has 1 − (1 − f)ⁿ.
 */
export function raiseBandForList(
  { band, falseHitsMax }: Pick<IdentificationParameters, 'band' | 'falseHitsMax'>,
  templates: number,
): MatchBand {
  if (!falseHitsMax || templates === 0) return band
  const threshold = thresholdForRate(-Math.expm1(Math.log1p(-falseHitsMax) / templates))
  return { min: Math.max(band.min, threshold), max: Math.max(band.max, threshold) }
}

export function rateOfSearch(
  rules: Pick<IdentificationParameters, 'band' | 'falseHitsMax'>,
  templates: number,
): SearchRate {
  const { min: threshold } = raiseBandForList(rules, templates)
  // The rate is not defined at 0 and 1.
  const rate = rateForThreshold(Math.min(1 - 1e-9, Math.max(1e-9, threshold)))
  return { templates, threshold, falseHits: -Math.expm1(templates * Math.log1p(-Math.min(1 - 1e-9, rate))) }
}

/**
 * Decides an identification: a subject who is in the collection is declined. An operator decides on scores inside the band, and
 * if nobody was found but the collection could not be searched completely.
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
