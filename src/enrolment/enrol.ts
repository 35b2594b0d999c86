/** Enrolment: extracts templates from photos and stores them before the answer is sent. */
import type { AssessmentRequest } from '../assess/assessment.ts'
import type { Cohort } from '../decide/cohort.ts'
import { type NormalizedTemplate, normalizeTemplate } from '../decide/comparison.ts'
import { checkTemplate, type QualityGate } from '../decide/sample.ts'
import { AppError, invariant } from '../errors.ts'
import {
  type CallContext,
  listMediumBlobs,
  nameMedium,
  type ReceivedMedium,
  type ReceivingDeps,
  receiveMedia,
} from '../folders/received-medium.ts'
import type { RecordFiles } from '../folders/record-files.ts'
import { requirePicture } from '../media/accepted-media.ts'
import {
  type AlikePerson,
  type AlikePersons,
  type CollectionRecord,
  enrolmentModels,
  type PersonRecord,
} from '../records/collection.ts'
import type { SubmittedMedium } from '../records/folder.ts'
import type { MediumRecord, Metadata } from '../records/medium.ts'
import { keepBlobs } from '../storage/blobs/blob-ledger.ts'
import type { EnrolledImage, PersonStore } from '../storage/collections/person-store.ts'

export interface EnrolmentDeps {
  receiving: ReceivingDeps
  files: RecordFiles
  cohort: Cohort
  gate: QualityGate
  /** The types of files that are read. */
  acceptedTypes: readonly string[]
  persons: PersonStore
  /** Persons of a collection as like a template as the threshold of its searches asks, best first. */
  findAlike(
    collectionId: string,
    template: NormalizedTemplate,
  ): Promise<readonly { personId: string; imageId: string; score: number }[]>
  onError(error: unknown): void
  nowMs(): number
  randomId(): string
}

export interface SubmittedPerson {
  metadata: Metadata
  images: readonly SubmittedMedium[]
}

/** Photos of persons have no preview: they are shown small, or as they are. */
const templateWanted: AssessmentRequest = {
  ...{ faces: true, template: true, pad: false },
  ...{ bestShot: false, preview: false },
}

/** @throws {AppError} `media_unsupported` for anything but a photo, which persons are enrolled from */
function requirePhoto({ acceptedTypes }: EnrolmentDeps, { key, medium }: SubmittedMedium): void {
  try {
    requirePicture(medium, acceptedTypes)
  } catch (error) {
    throw nameMedium(error, key)
  }
}

/**
 * The photo with its template, normalised against the cohort.
 * @throws {AppError} `value_invalid` if it shows nobody, several people, or a face that is too poor
 */
function toEnrolledImage(
  { cohort, gate }: EnrolmentDeps,
  key: string,
  { record, assessment }: ReceivedMedium,
): EnrolledImage {
  const details = { details: { key_path: key }, place: '*' }
  const failure = checkTemplate({ id: record.id, tags: record.tags, assessment }, gate)
  if (failure) throw new AppError('value_invalid', failure.message, details)
  const template = assessment.subject?.template
  invariant(template?.status === 'extracted', 'the template was asked for')
  return {
    image: record,
    template: normalizeTemplate(cohort, template.template),
    models: enrolmentModels(cohort),
  }
}

interface ReceivedImages {
  enrolled: readonly EnrolledImage[]
  files: ReturnType<typeof listMediumBlobs>
}

async function receiveImages(
  deps: EnrolmentDeps,
  collectionId: string,
  createdAtMs: number,
  images: readonly SubmittedMedium[],
  call: CallContext,
): Promise<ReceivedImages> {
  for (const image of images) requirePhoto(deps, image)
  const reception = { storedIn: collectionId, createdAtMs }
  const received = await receiveMedia(deps.receiving, images, () => templateWanted, reception, call)
  return {
    enrolled: received.map((medium, index) => toEnrolledImage(deps, images[index]!.key, medium)),
    files: received.flatMap((medium) => listMediumBlobs(medium, collectionId)),
  }
}

/**
 * Other persons of the collection that enrolled photos are like: somebody may be enrolled twice. It looks when the photos
 * are stored, so that of two who are enrolled at once the later one is told. A failed look is no failed enrolment.
 */
async function findAlike(
  { persons, findAlike, onError }: EnrolmentDeps,
  { id, collectionId }: Pick<PersonRecord, 'id' | 'collectionId'>,
  enrolled: readonly EnrolledImage[],
): Promise<AlikePersons> {
  const alike = new Map<string, AlikePerson[]>()
  try {
    for (const { image, template } of enrolled) {
      for (const { personId, imageId, score } of await findAlike(collectionId, template)) {
        const person = personId === id ? null : await persons.find(collectionId, personId)
        if (person) alike.set(image.id, [...(alike.get(image.id) ?? []), { person, imageId, score }])
      }
    }
  } catch (error) {
    onError(error)
  }
  return alike
}

/**
 * Adds a person to a collection.
 * @throws {AppError} as `toEnrolledImage` and `Assessor.assess`; `not_found` if the collection no longer exists
 */
export async function enrolPerson(
  deps: EnrolmentDeps,
  collection: CollectionRecord,
  { metadata, images }: SubmittedPerson,
  call: CallContext,
): Promise<{ person: PersonRecord; alike: AlikePersons }> {
  const now = deps.nowMs()
  const { enrolled, files } = await receiveImages(deps, collection.id, now, images, call)
  const head = {
    id: deps.randomId(),
    collectionId: collection.id,
    companyId: collection.companyId,
    metadata,
    createdAtMs: now,
    updatedAtMs: now,
  }
  await deps.files.write(files, (keys) =>
    deps.persons.insert(head, enrolled, (queries) => keepBlobs(queries, keys)),
  )
  const person = { ...head, images: enrolled.map(({ image }) => image) }
  return { person, alike: await findAlike(deps, person, enrolled) }
}

/**
 * Adds photos to a person.
 * @throws {AppError} as `enrolPerson`
 */
export async function enrolImages(
  deps: EnrolmentDeps,
  person: PersonRecord,
  images: readonly SubmittedMedium[],
  call: CallContext,
): Promise<{ images: MediumRecord[]; alike: AlikePersons }> {
  const { enrolled, files } = await receiveImages(deps, person.collectionId, deps.nowMs(), images, call)
  await deps.files.write(files, (keys) =>
    deps.persons.addImages(person, enrolled, deps.nowMs(), (queries) => keepBlobs(queries, keys)),
  )
  return { images: enrolled.map(({ image }) => image), alike: await findAlike(deps, person, enrolled) }
}
