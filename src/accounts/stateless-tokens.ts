/** Tokens of a whole service, where there is no database to ask about them. */
import { AppError } from '../errors.ts'
import { readAccessToken } from '../identity/access-token.ts'
import { allStartFlags } from '../identity/permissions.ts'
import type { Principal } from '../identity/principal.ts'

export interface StatelessTokenDeps {
  /** The key that the whole service signs with; empty for none, which believes nobody. */
  secret: Uint8Array
  /** Milliseconds after its issue for which a token is believed at most. */
  ageMaxMs: number
  nowMs(): number
}

/**
 * Makes the function that believes tokens signed with the same key. Whoever was switched off, signed out or lost a role
 * or a start flag since a token was issued is let in all the same, until the token ends or is too old, whichever is first.
 */
export function verifyTokensStateless({ secret, ageMaxMs, nowMs }: StatelessTokenDeps) {
  /** @throws {AppError} `token_unknown`, `token_expired` */
  return async (accessToken: string): Promise<Principal> => {
    const now = nowMs()
    const read = secret.length === 0 ? null : await readAccessToken(accessToken, secret, now)
    if (!read) throw new AppError('token_unknown')
    const { userId, companyId, userType, issuedAtMs } = read.claims
    if (read.isExpired || issuedAtMs + ageMaxMs <= now) throw new AppError('token_expired')
    return { userId, companyId, userType, startFlags: allStartFlags, sessionId: null }
  }
}
