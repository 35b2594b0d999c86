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

/** Whoever is in the collection is declined; between the bounds of the band an operator decides. */
export function decideCollection(found: readonly MediumHits[], { band }: CollectionParameters): Outcome {
  const best = Math.max(0, ...found.flatMap(({ hits }) => hits.map(({ score }) => score)))
  const match = decideMatch(best, band)
  const decision = match === 'SUCCESS' ? 'DECLINED' : match === 'DECLINED' ? 'SUCCESS' : match
  return { status: 'finished', decision }
}
