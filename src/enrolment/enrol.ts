/** Enrolment: extracts templates from photos and stores them before the answer is sent. */
import type { AssessmentRequest } from '../assess/assessment.ts'
import type { Cohort } from '../decide/cohort.ts'
import { normalizeTemplate } from '../decide/comparison.ts'
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
import { type CollectionRecord, enrolmentModels, type PersonRecord } from '../records/collection.ts'
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
  nowMs(): number
  randomId(): string
}

export interface SubmittedPerson {
  metadata: Metadata
  images: readonly SubmittedMedium[]
}

const templateWanted: AssessmentRequest = { faces: true, template: true, pad: false, bestShot: false }

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
 * Adds a person to a collection.
 * @throws {AppError} as `toEnrolledImage` and `Assessor.assess`; `not_found` if the collection no longer exists
 */
export async function enrolPerson(
  deps: EnrolmentDeps,
  collection: CollectionRecord,
  { metadata, images }: SubmittedPerson,
  call: CallContext,
): Promise<PersonRecord> {
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
  return { ...head, images: enrolled.map(({ image }) => image) }
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
): Promise<MediumRecord[]> {
  const { enrolled, files } = await receiveImages(deps, person.collectionId, deps.nowMs(), images, call)
  await deps.files.write(files, (keys) =>
    deps.persons.addImages(person, enrolled, deps.nowMs(), (queries) => keepBlobs(queries, keys)),
  )
  return enrolled.map(({ image }) => image)
}
