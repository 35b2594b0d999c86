/** Access tokens: what a signed-in caller shows with each call. JWT (RFC 7519), HS256. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { RandomBytes } from './passwords.ts'
import { type UserType, userTypes } from './roles.ts'

/** Times are milliseconds since 1970; in the token they are whole seconds. */
export interface AccessClaims {
  tokenId: string
  userId: string
  userType: UserType
  companyId: string | null
  issuedAtMs: number
  expiresAtMs: number
}

export interface ReadAccessToken {
  claims: AccessClaims
  /** By the token's own `exp`; where a database exists its row decides instead. */
  isExpired: boolean
}

/** RFC 9068's type: no other text that is ever signed with the same secret passes for an access token. */
const type = 'at+jwt'
const lengthMax = 4096
/** The one way to write an HS256 token: other spellings of its last letter would be the same signature. */
const form = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/

/** A new token; no two are ever equal. */
export function issueAccessToken(claims: AccessClaims, secret: Uint8Array): Promise<string> {
  return new SignJWT({ sid: claims.tokenId, user_type: claims.userType, company_id: claims.companyId })
    .setProtectedHeader({ alg: 'HS256', typ: type })
    .setSubject(claims.userId)
    .setJti(crypto.randomUUID())
    .setIssuedAt(Math.floor(claims.issuedAtMs / 1000))
    .setExpirationTime(Math.floor(claims.expiresAtMs / 1000))
    .sign(secret)
}

function readClaims({ sub, sid, user_type, company_id, iat, exp }: JWTPayload): AccessClaims | null {
  const userType = userTypes.find((known) => known === user_type)
  if (typeof sub !== 'string' || typeof sid !== 'string' || !userType) return null
  if (typeof company_id !== 'string' && company_id !== null) return null
  if (iat === undefined || exp === undefined) return null
  return {
    tokenId: sid,
    userId: sub,
    userType,
    companyId: company_id,
    issuedAtMs: iat * 1000,
    expiresAtMs: exp * 1000,
  }
}

/** What a token says, expired or not; `null` for a text that was not issued here with this secret. */
export async function readAccessToken(
  text: string,
  secret: Uint8Array,
  nowMs: number,
): Promise<ReadAccessToken | null> {
  if (text.length > lengthMax || !form.test(text)) return null
  try {
    // Its expiry is told apart from its validity: the library is to see no token as expired.
    const currentDate = new Date(0)
    const { payload } = await jwtVerify(text, secret, { algorithms: ['HS256'], typ: type, currentDate })
    const claims = readClaims(payload)
    return claims && { claims, isExpired: claims.expiresAtMs <= nowMs }
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

/** What a token is kept and found by: SHA-256, 64 lower-case hexadecimal characters. */
export const hashToken = async (text: string): Promise<string> =>
  bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))

/** A token that says nothing: 128 lower-case hexadecimal characters. */
export const newOpaqueToken = (randomBytes: RandomBytes): string => bytesToHex(randomBytes(64))

/** A key that signs access tokens. */
export const newSigningKey = (randomBytes: RandomBytes): string => bytesToHex(randomBytes(32))
