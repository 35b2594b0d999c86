/** Collections: the persons a company looks for, each with photos and the templates of them. */
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

/** What a search works with: the template network and the cohort together. Others' templates are never compared. */
export const enrolmentModels = ({ templateModelId, id }: Pick<Cohort, 'templateModelId' | 'id'>): string =>
  `${templateModelId} ${id}`
