/** Verifies access tokens without a database. */
import { AppError } from '../errors.ts'
import { readAccessToken } from '../identity/access-token.ts'
import { allStartFlags } from '../identity/permissions.ts'
import type { Principal } from '../identity/principal.ts'

interface StatelessTokenDeps {
  /** The signing key of the whole service; empty to refuse all tokens. */
  secret: Uint8Array
  /** Milliseconds after its issue for which a token is accepted. */
  ageMaxMs: number
  nowMs(): number
}

/**
 * Makes the function that verifies tokens signed with the same key. A user who was deactivated, signed out, or lost a role
 * or a start flag after the token was issued is still accepted, until the token expires or is older than `ageMaxMs`.
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
