/** Searches the persons of a collection for the subjects of media. */
import type { DecidedMedium, Outcome } from '../../decide/analysis.ts'
import type { Cohort } from '../../decide/cohort.ts'
import type { NormalizedTemplate } from '../../decide/comparison.ts'
import type { MatchBand } from '../../decide/match.ts'
import { AppError } from '../../errors.ts'
import type { Gallery } from '../../gallery/gallery.ts'
import type { Candidate } from '../../gallery/source.ts'
import {
  collectProbes,
  decideIdentification,
  type Hit,
  type IdentificationParameters,
  type MediumHits,
  raiseBandForList,
} from './decide.ts'

/** Access to collections for searches. */
export interface Identification {
  gallery: Pick<Gallery, 'search' | 'count'>
  templates: {
    /** Ids of photos by the numbers of their templates; removed photos are left out. */
    imageIds(numbers: readonly number[]): Promise<ReadonlyMap<number, string>>
    /** Whether every photo of a collection has a comparable template. */
    completeness(collectionId: string): Promise<'complete' | 'incomplete' | 'being_renewed'>
  }
}

/** Dependencies of a search. */
export interface SearchDeps {
  cohort: Cohort
  /** `null` if the service stores no persons. */
  identification: Identification | null
}

/** The collection was removed after the analysis was requested. */
export const collectionLost = new AppError(
  'value_invalid',
  'collection_id names a collection that is not there',
)

/** Templates of another network or cohort are being extracted again; a search now could miss persons. */
const templatesRenewing = () =>
  new AppError('overloaded', 'The templates of the collection are being renewed')

/** Resolves candidates that reach the band to persons. Photos removed in the meantime are skipped. */
async function resolveHits(
  { templates }: Identification,
  candidates: readonly Candidate[],
  band: MatchBand,
): Promise<Hit[]> {
  const reaching = candidates.filter(({ score }) => score >= band.min)
  const imageIds = await templates.imageIds(reaching.map(({ number }) => number))
  return reaching.flatMap(({ number, subjectId, score, distance, normalisedDistance }) => {
    const imageId = imageIds.get(number)
    return imageId === undefined
      ? []
      : [{ personId: subjectId, imageId, score, distance, normalisedDistance }]
  })
}

/** Persons of a collection whom a search by the template would decline, best first. */
export async function findAlike(
  identification: Identification,
  collectionId: string,
  template: NormalizedTemplate,
  rules: Pick<IdentificationParameters, 'band' | 'falseHitsMax' | 'countMax'>,
): Promise<Hit[]> {
  const { gallery } = identification
  const count = await gallery.count(collectionId)
  const candidates = await gallery.search(collectionId, template, rules.countMax)
  if (count === null || !candidates) return []
  const { max } = raiseBandForList(rules, count)
  return resolveHits(identification, candidates, { min: max, max })
}

/**
 * 1:N identification of every medium's subject.
 * @returns outcome and hits, and the band that was applied for the size of the collection
 * @throws {AppError} `value_invalid` (`collectionLost`), `overloaded` while the templates are being extracted again,
 *   `database_failed` if they cannot be read
 */
export async function searchCollection(
  { cohort, identification }: SearchDeps,
  media: readonly DecidedMedium[],
  parameters: IdentificationParameters,
): Promise<{ outcome: Outcome; found: MediumHits[]; isComplete: boolean; band: MatchBand }> {
  if (!identification) throw collectionLost
  const { probes, failure } = collectProbes(cohort, media, parameters.gate)
  const { collectionId, countMax } = parameters
  const count = await identification.gallery.count(collectionId)
  if (count === null) throw collectionLost
  const band = raiseBandForList(parameters, count)
  if (failure) return { outcome: { status: 'failed', failure }, found: [], isComplete: false, band }
  const completeness = await identification.templates.completeness(collectionId)
  if (completeness === 'being_renewed') throw templatesRenewing()
  const isComplete = completeness === 'complete'
  const found: MediumHits[] = []
  for (const { mediumId, template } of probes) {
    const candidates = await identification.gallery.search(collectionId, template, countMax)
    if (!candidates) throw collectionLost
    found.push({ mediumId, hits: await resolveHits(identification, candidates, band) })
  }
  return { outcome: decideIdentification(found, isComplete, band), found, isComplete, band }
}
