/** 1:N identification: whether the subject of a medium is among the persons of a collection. */
import { invariant } from '../errors.ts'
import type { DecidedMedium, Failure, Outcome } from './analysis.ts'
import { decideMatch, type MatchBand } from './biometry.ts'
import type { Cohort } from './cohort.ts'
import { type Comparison, type PlacedTemplate, placeTemplate } from './comparison.ts'
import { type QualityGate, templateFailure } from './sample.ts'

export interface CollectionParameters {
  collectionId: string
  band: MatchBand
  /** Persons to be named for one medium, at most. */
  countMax: number
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
  template: PlacedTemplate
}

/** The templates to search for, or why there is one that cannot be had. */
export function probesOf(
  cohort: Cohort,
  media: readonly DecidedMedium[],
  gate: QualityGate,
): { probes: Probe[]; failure: Failure | null } {
  const failure = media.map((medium) => templateFailure(medium, gate)).find((found) => found !== null)
  if (failure) return { probes: [], failure }
  const probes = media.map(({ id, assessment }): Probe => {
    const template = assessment.subject?.template
    invariant(template?.status === 'extracted', 'a collection analysis needs media with templates')
    return { mediumId: id, template: placeTemplate(cohort, template.template) }
  })
  return { probes, failure: null }
}

/**
 * Whoever is in the collection is declined; between the bounds of the band an operator decides, and so it is where nobody was
 * found in a collection that could not be searched as a whole.
 */
export function decideCollection(
  found: readonly MediumHits[],
  isComplete: boolean,
  { band }: CollectionParameters,
): Outcome {
  const decisions = found.flatMap(({ hits }) => hits.map(({ score }) => decideMatch(score, band)))
  if (decisions.includes('SUCCESS')) return { status: 'finished', decision: 'DECLINED' }
  const isOpen = !isComplete || decisions.includes('OPERATOR_REQUIRED')
  return { status: 'finished', decision: isOpen ? 'OPERATOR_REQUIRED' : 'SUCCESS' }
}
