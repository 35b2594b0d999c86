import type { StartFlags } from './permissions.ts'
import type { UserType } from './roles.ts'

/** Who calls: what a token stands for. */
export interface Principal {
  userId: string
  companyId: string | null
  userType: UserType
  startFlags: StartFlags
  /** `null` where sessions are not kept. */
  sessionId: string | null
}
