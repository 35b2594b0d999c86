import type { StartFlags } from '../identity/permissions.ts'
import type { UserType } from '../identity/roles.ts'
import type { UserRecord } from '../records/account.ts'

/** Who calls: what a token stands for. */
export interface Principal {
  userId: string
  companyId: string | null
  userType: UserType
  startFlags: StartFlags
  /** `null` where sessions are not kept. */
  sessionId: string | null
}

export const principalOf = (user: UserRecord, sessionId: string): Principal => ({
  userId: user.id,
  companyId: user.companyId,
  userType: user.type,
  startFlags: user.startFlags,
  sessionId,
})
