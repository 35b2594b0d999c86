import type { StartFlags } from './permissions.ts'
import type { UserType } from './roles.ts'

/** The authenticated caller of a request. */
export interface Principal {
  userId: string
  companyId: string | null
  userType: UserType
  startFlags: StartFlags
  /** `null` if sessions are not stored. */
  sessionId: string | null
}
