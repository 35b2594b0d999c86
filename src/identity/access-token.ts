/** Access tokens, which signed-in callers send with each request: JWT (RFC 7519), HS256. */
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

interface ReadAccessToken {
  claims: AccessClaims
  /** According to the token's `exp`. With a database, the stored session decides instead. */
  isExpired: boolean
}

/** The type of RFC 9068, so that nothing else signed with the same secret is accepted as an access token. */
const type = 'at+jwt'
const lengthMax = 4096
/** The canonical form of an HS256 token. Other last characters would decode to the same signature. */
const form = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/

/** Issues a token. All tokens are different. */
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

/** The claims of a token, even if it has expired; `null` if it was not issued with this secret. */
export async function readAccessToken(
  text: string,
  secret: Uint8Array,
  nowMs: number,
): Promise<ReadAccessToken | null> {
  if (text.length > lengthMax || !form.test(text)) return null
  try {
    // Expiry is reported separately from validity, so the library must not reject expired tokens.
    const currentDate = new Date(0)
    const { payload } = await jwtVerify(text, secret, { algorithms: ['HS256'], typ: type, currentDate })
    const claims = readClaims(payload)
    return claims && { claims, isExpired: claims.expiresAtMs <= nowMs }
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

/** The hash by which a token is stored and found: SHA-256 as 64 lower-case hexadecimal characters. */
export const hashToken = async (text: string): Promise<string> =>
  bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))

/** Generates an opaque token: lower-case hexadecimal characters, 128 unless `length` names another number of random bytes. */
export const newOpaqueToken = (randomBytes: RandomBytes, length = 64): string =>
  bytesToHex(randomBytes(length))

/** Generates a key that signs access tokens. */
export const newSigningKey = (randomBytes: RandomBytes): string => bytesToHex(randomBytes(32))
