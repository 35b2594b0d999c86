/** Looks for the subjects of media among the persons of a collection. */
import type { DecidedMedium, Outcome } from '../../decide/analysis.ts'
import type { Cohort } from '../../decide/cohort.ts'
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

/** What persons are looked for with; absent where nothing is kept. */
export interface Identification {
  gallery: Pick<Gallery, 'search' | 'count'>
  templates: {
    /** Photos by the numbers of their templates, without those that are gone. */
    imageIds(numbers: readonly number[]): Promise<ReadonlyMap<number, string>>
    /** Whether each photo of a collection has a template that can be compared. */
    completeness(collectionId: string): Promise<'complete' | 'incomplete' | 'being_renewed'>
  }
}

/** What a search is decided with. */
export interface SearchDeps {
  cohort: Cohort
  /** `null` where no persons are kept. */
  identification: Identification | null
}

/** The collection has gone since the analysis was asked for. */
export const collectionLost = new AppError(
  'value_invalid',
  'collection_id names a collection that is not there',
)

/** Templates of another network or cohort are being made anew: who is not found now may be found in a moment. */
const templatesRenewing = () =>
  new AppError('overloaded', 'The templates of the collection are being renewed')

/** The persons behind candidates that reach the band. A photo that is removed at this moment is nobody's any more. */
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

/**
 * 1:N identification of every medium's subject.
 * @returns besides what was found the band that the size of the collection asks for
 * @throws {AppError} `collectionLost`; `overloaded` while templates of it are made anew; `database_failed` when they cannot
 * be read
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
