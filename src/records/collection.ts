/** Collections: the persons that a company searches for, each with photos and their templates. */
import type { Cohort } from '../decide/cohort.ts'
import type { MediumRecord, Metadata } from './medium.ts'

export interface CollectionRecord {
  id: string
  companyId: string
  /** Unique within the company. */
  alias: string
  metadata: Metadata
  createdAtMs: number
  updatedAtMs: number
}

export interface PersonRecord {
  id: string
  collectionId: string
  companyId: string
  metadata: Metadata
  createdAtMs: number
  updatedAtMs: number
  /** Photos, oldest first. */
  images: readonly MediumRecord[]
}

/** Another person who is as like a photo as a hit of its collection. */
export interface AlikePerson {
  person: PersonRecord
  /** The photo of the person that is alike. */
  imageId: string
  score: number
}

/** By the ids of enrolled photos. */
export type AlikePersons = ReadonlyMap<string, readonly AlikePerson[]>

/** What became of one of many persons of a call. */
export type PersonEnrolment =
  | { person: PersonRecord; alike: AlikePersons }
  /** The keys are those of the photos that were sent for the person. */
  | { person: null; error: unknown; imageKeys: readonly string[] }

/** A key for the template network and the cohort. Templates with different keys are never compared. */
export const enrolmentModels = ({ templateModelId, id }: Pick<Cohort, 'templateModelId' | 'id'>): string =>
  `${templateModelId} ${id}`
