/** Companies, users, and the sessions of users. */
import type { StartFlags } from '../identity/permissions.ts'
import type { UserType } from '../identity/roles.ts'
import type { Metadata } from './medium.ts'

export interface CompanyRecord {
  id: string
  name: string
  /** Administrators and operators belong to it. */
  isSystem: boolean
  inDeletion: boolean
  /** Whether its analyses end as their folders ask, without inference. It stays as it was created. */
  isSandbox: boolean
  metadata: Metadata
  /** The field in the metadata of folders that tells what the company calls a case. */
  referenceField: string | null
  createdAtMs: number
  updatedAtMs: number
}

/** What may be changed of a company. */
export type CompanyChange = Partial<Pick<CompanyRecord, 'name' | 'metadata' | 'referenceField'>>

export interface UserRecord {
  id: string
  companyId: string
  type: UserType
  email: string
  firstName: string | null
  lastName: string | null
  middleName: string | null
  /** Types of analyses that the user may start. */
  startFlags: StartFlags
  isActive: boolean
  /** Whether signing in takes a code of an authenticator app too. */
  hasSecondFactor: boolean
  /** Whether the identity provider of the organisation signs the user in, and no password. */
  isLinked: boolean
  metadata: Metadata
  createdAtMs: number
  updatedAtMs: number
}

export interface SessionRecord {
  id: string
  /** The contract's `session_id`. */
  number: number
  userId: string
  /** Of a service token, or the program that signed in; `null` if it did not say. */
  name: string | null
  ttlMs: number
  expiresAtMs: number
  createdAtMs: number
}
