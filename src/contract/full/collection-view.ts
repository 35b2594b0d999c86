import type { SearchRate } from '../../decide/comparison.ts'
import type {
  AlikePerson,
  AlikePersons,
  CollectionRecord,
  PersonEnrolment,
  PersonRecord,
} from '../../records/collection.ts'
import { type MediumRecord, snapshotFile } from '../../records/medium.ts'
import { asAppError, errorAnswer } from '../error-table.ts'
import type { Json } from '../spaced-json.ts'
import { originalInfo, pictureInfo, sampleView, seconds, type ViewOptions } from './media-view.ts'

const searchRateView = ({ templates, threshold, falseHits }: SearchRate): Json => ({
  templates,
  decision_threshold: threshold,
  false_hits: falseHits,
})

/** @param rates how a search decides, in the answer of one collection */
export const collectionView = (collection: CollectionRecord, rates: readonly SearchRate[] = []): Json => ({
  collection_id: collection.id,
  company_id: collection.companyId,
  alias: collection.alias,
  meta_data: collection.metadata as Json,
  technical_meta_data: rates.length > 0 ? { search: rates.map(searchRateView) } : {},
  time_created: seconds(collection.createdAtMs),
  time_updated: seconds(collection.updatedAtMs),
})

/** The warning that a photo is like another person. */
const alikeView = ({ person, imageId, score }: AlikePerson): Json => ({
  person_id: person.id,
  person_image_id: imageId,
  confidence: score,
  meta_data: person.metadata as Json,
})

/** A photo of a person, with the older and newer names of its id. @param alike others who are like it, told when it is enrolled */
export const personImageView = (
  { id, collectionId, companyId }: Pick<PersonRecord, 'id' | 'collectionId' | 'companyId'>,
  image: MediumRecord,
  { linkTo }: Pick<ViewOptions, 'linkTo'>,
  alike: readonly AlikePerson[] = [],
): Json => ({
  person_image_id: image.id,
  media_id: image.id,
  image_id: image.id,
  person_id: id,
  collection_id: collectionId,
  company_id: companyId,
  media_type: 'IMAGE_PERSON',
  tags: image.tags,
  original_name: image.originalName,
  original_url: image.files && linkTo(image.files.original),
  thumb_url: image.files && linkTo(image.files.thumbnail),
  info: { thumb: pictureInfo(image.thumbnail), original: originalInfo(image) },
  meta_data: image.metadata as Json,
  technical_meta_data: image.sample ? sampleView(image.sample) : {},
  time_created: seconds(image.createdAtMs),
  time_updated: seconds(image.updatedAtMs),
  ...(alike.length > 0 ? { similar_persons: alike.map(alikeView) } : {}),
})

/** The snapshot of a photo of a person. The contract has only its path; the format is our own. */
export const photoSnapshotView = (
  { id, collectionId, companyId }: Pick<PersonRecord, 'id' | 'collectionId' | 'companyId'>,
  image: MediumRecord,
  { linkTo }: Pick<ViewOptions, 'linkTo'>,
): Json => ({
  media_id: image.id,
  person_id: id,
  collection_id: collectionId,
  company_id: companyId,
  media_type: 'IMAGE_PERSON',
  original_name: 'snapshot.jpeg',
  original_url: linkTo(snapshotFile(collectionId, image.id)),
  thumb_url: image.files && linkTo(image.files.thumbnail),
})

export const personView = (
  person: PersonRecord,
  options: Pick<ViewOptions, 'linkTo'>,
  alike: AlikePersons = new Map(),
): Json => ({
  person_id: person.id,
  collection_id: person.collectionId,
  company_id: person.companyId,
  images: person.images.map((image) => personImageView(person, image, options, alike.get(image.id))),
  meta_data: person.metadata as Json,
  technical_meta_data: {},
  time_created: seconds(person.createdAtMs),
  time_updated: seconds(person.updatedAtMs),
})

/** The result for one of many persons: the person, or the error with the photos that were sent for it. */
export function enrolmentView(result: PersonEnrolment, options: Pick<ViewOptions, 'linkTo'>): Json {
  if (result.person !== null) return personView(result.person, options, result.alike)
  const { body } = errorAnswer(asAppError(result.error))
  return { ...(body as object), person_id: null, images: result.imageKeys }
}
