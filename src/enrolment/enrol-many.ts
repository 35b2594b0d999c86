/** Enrolment of many persons in one call. */
import { AppError } from '../errors.ts'
import type { CallContext } from '../folders/received-medium.ts'
import type { CollectionRecord, PersonEnrolment } from '../records/collection.ts'
import type { SubmittedMedium } from '../records/folder.ts'
import type { Metadata } from '../records/medium.ts'
import { type EnrolmentDeps, enrolPerson, type SubmittedPerson } from './enrol.ts'
import { isPhotoFault } from './photo-fault.ts'

/** A person of a call, with the keys of the photos that show it. */
export interface NamedPerson {
  metadata: Metadata
  imageKeys: readonly string[]
}

/**
 * Assigns the photos of a call to the persons that name them.
 * @throws {AppError} `value_invalid` if a key is unknown or used twice, or if a photo belongs to no person
 */
export function assignImages(
  persons: readonly NamedPerson[],
  images: readonly SubmittedMedium[],
): SubmittedPerson[] {
  const left = new Map(images.map((image) => [image.key, image]))
  const assigned = persons.map(({ metadata, imageKeys }, index) => {
    const own = imageKeys.map((key, position) => {
      const image = left.get(key)
      if (!image) {
        const place = `persons.${index}.images.${position}`
        const message = 'persons name an image part that is missing, or name one twice'
        throw new AppError('value_invalid', message, { details: { key_path: place }, place })
      }
      left.delete(key)
      return image
    })
    return { metadata, images: own }
  })
  const [unnamed] = left.keys()
  if (unnamed !== undefined)
    throw new AppError('value_invalid', 'persons do not name all image parts', {
      details: { key_path: unnamed, expected: 'a name in the images of one of the persons' },
      place: '*',
    })
  return assigned
}

/**
 * Enrols each person independently: a refused one does not affect the others. Another error fails the whole call only
 * while no person is stored; afterwards the caller must learn who was stored.
 * @returns a result for each person, in their order
 * @throws {AppError} as `enrolPerson`, but not for photos
 */
export async function enrolEach(
  deps: EnrolmentDeps,
  collection: CollectionRecord,
  persons: readonly SubmittedPerson[],
  call: CallContext,
): Promise<PersonEnrolment[]> {
  const results: PersonEnrolment[] = []
  for (const wanted of persons) {
    try {
      results.push(await enrolPerson(deps, collection, wanted, call))
    } catch (error) {
      const isAnyStored = results.some(({ person }) => person !== null)
      if (!isPhotoFault(error) && !isAnyStored) throw error
      results.push({ person: null, error, imageKeys: wanted.images.map(({ key }) => key) })
    }
  }
  return results
}
