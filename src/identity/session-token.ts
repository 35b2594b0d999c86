/** Session tokens, which bind a capture to a session of a company: JWT (RFC 7519), ES384 (P-384 and SHA-384). */
import {
  calculateJwkThumbprint,
  errors,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  importJWK,
  importPKCS8,
  importSPKI,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import { AppError } from '../errors.ts'

/** Times are milliseconds since 1970; in the token they are whole seconds. */
export interface SessionClaims {
  /** Unique, so that a second use can be detected. */
  tokenId: string
  /** `null` for a caller without a company. */
  companyId: string | null
  issuedAtMs: number
  expiresAtMs: number
  /** What the capture has to show, as it was issued; absent if nothing. */
  challenge?: unknown
}

/** A token whose signature is right. */
interface ReadSessionToken {
  claims: SessionClaims
  isExpired: boolean
}

/** A token to issue, valid for `lifetimeS` seconds from `nowMs` (milliseconds since 1970, rounded down to seconds) on. */
interface WantedToken {
  companyId: string | null
  lifetimeS: number
  nowMs: number
  /** JSON that the token repeats to its reader. */
  challenge?: object
}

export interface SessionTokens {
  /** @throws {AppError} `not_implemented` if there is only a public key */
  issue(wanted: WantedToken): Promise<string>
  /** The claims of a token, even if it has expired; `null` if it was not issued with these keys. */
  verify(text: string, nowMs: number): Promise<ReadSessionToken | null>
  /** The keys that verify tokens, as members of a JWK Set. */
  published: readonly JWK[]
}

type Key = Awaited<ReturnType<typeof importPKCS8>>

const algorithm = 'ES384'
const lengthMax = 4096
const form = /^[\w-]+\.[\w-]+\.[\w-]{128}$/

/** The block of a PEM text with a label, without surrounding text. */
const extractPemBlock = (pem: string, label: string): string | undefined =>
  new RegExp(`-----BEGIN ${label}-----[\\s\\S]*?-----END ${label}-----`).exec(pem)?.[0]

/** @throws {AppError} `value_invalid` that says which kind of key is needed */
async function importPrivate(pem: string, options: { extractable: boolean }): Promise<Key> {
  if (extractPemBlock(pem, 'EC PRIVATE KEY')) {
    throw new AppError(
      'value_invalid',
      'The private key of session tokens is in SEC1 form; convert it: openssl pkcs8 -topk8 -nocrypt -in old.pem -out new.pem',
    )
  }
  try {
    return await importPKCS8(extractPemBlock(pem, 'PRIVATE KEY') ?? '', algorithm, options)
  } catch (cause) {
    const message = 'The private key of session tokens must be an unencrypted PKCS#8 PEM of curve secp384r1'
    throw new AppError('value_invalid', message, { cause })
  }
}

const publicBlock = /-----BEGIN PUBLIC KEY-----[\s\S]*?-----END PUBLIC KEY-----/g

/** The public keys of a PEM text. Besides the current one it may have former ones, whose tokens have not expired yet. */
async function importPublic(pem: string): Promise<Key[]> {
  try {
    const blocks = pem.match(publicBlock) ?? ['']
    return await Promise.all(blocks.map((block) => importSPKI(block, algorithm, { extractable: true })))
  } catch (cause) {
    const message = 'The public key of session tokens must be an SPKI PEM of curve secp384r1'
    throw new AppError('value_invalid', message, { cause })
  }
}

async function derivePublic(privatePem: string): Promise<Key> {
  const { kty, crv, x, y } = await exportJWK(await importPrivate(privatePem, { extractable: true }))
  return (await importJWK({ kty, crv, x, y } as JWK, algorithm)) as Key
}

async function toPublished(key: Key): Promise<JWK> {
  const { kty, crv, x, y } = await exportJWK(key)
  const bare = { kty, crv, x, y } as JWK
  return { ...bare, use: 'sig', alg: algorithm, kid: await calculateJwkThumbprint(bare) }
}

function readClaims({ jti, company_id, iat, exp, challenge }: JWTPayload): SessionClaims | null {
  if (typeof company_id !== 'string' && company_id !== null) return null
  if (typeof jti !== 'string' || iat === undefined || exp === undefined) return null
  const times = { issuedAtMs: iat * 1000, expiresAtMs: exp * 1000 }
  return { tokenId: jti, companyId: company_id, ...times, ...(challenge === undefined ? {} : { challenge }) }
}

function createIssuer(key: Key): SessionTokens['issue'] {
  return ({ companyId, lifetimeS, nowMs, challenge }) => {
    const issuedAtS = Math.floor(nowMs / 1000)
    return new SignJWT({ company_id: companyId, ...(challenge ? { challenge } : {}) })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setJti(crypto.randomUUID())
      .setIssuedAt(issuedAtS)
      .setExpirationTime(issuedAtS + lifetimeS)
      .sign(key)
  }
}

async function verifyWith(key: Key, text: string): Promise<JWTPayload | null> {
  try {
    // Expiry is reported separately from validity, so the library must not reject expired tokens.
    const currentDate = new Date(0)
    return (await jwtVerify(text, key, { algorithms: [algorithm], typ: 'JWT', currentDate })).payload
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

function createVerifier(keys: readonly Key[]): SessionTokens['verify'] {
  return async (text, nowMs) => {
    if (text.length > lengthMax || !form.test(text)) return null
    for (const key of keys) {
      const payload = await verifyWith(key, text)
      const claims = payload && readClaims(payload)
      if (claims) return { claims, isExpired: claims.expiresAtMs <= nowMs }
    }
    return null
  }
}

const issueNothing: SessionTokens['issue'] = () =>
  Promise.reject(new AppError('not_implemented', 'session tokens: the server has only their public key'))

/**
 * Tokens signed with a key pair of curve secp384r1.
 * @param keys `privatePem` is PKCS#8, or `null` to verify only; `publicPem` is SPKI, and may hold former keys too, or `null`
 *   to derive it; one of the two is given
 * @throws {AppError} `value_invalid` if a key has another format or curve, or the two are not a pair
 * @example
 * ```ts
 * import { generateSessionKeys, openSessionTokens } from './session-token.ts'
 *
 * const tokens = await openSessionTokens({ privatePem: await generateSessionKeys(), publicPem: null })
 * const text = await tokens.issue({ companyId: 'company-1', lifetimeS: 600, nowMs: 0 })
 * const token = await tokens.verify(text, 600_000)
 * token?.claims.companyId // → 'company-1'
 * token?.isExpired // → true
 * await tokens.verify('not a token', 0) // → null
 * ```
 */
export async function openSessionTokens({
  privatePem,
  publicPem,
}: {
  privatePem: string | null
  publicPem: string | null
}): Promise<SessionTokens> {
  const publicKeys =
    publicPem === null ? [await derivePublic(privatePem ?? '')] : await importPublic(publicPem)
  const published = await Promise.all(publicKeys.map(toPublished))
  const verify = createVerifier(publicKeys)
  if (privatePem === null) return { issue: issueNothing, verify, published }
  const issue = createIssuer(await importPrivate(privatePem, { extractable: false }))
  if ((await verify(await issue({ companyId: null, lifetimeS: 1, nowMs: 0 }), 0)) === null) {
    throw new AppError('value_invalid', 'The private and the public key of session tokens are no pair')
  }
  return { issue, verify, published }
}

/** Generates a private key as PKCS#8 PEM; its public key can be derived. */
export async function generateSessionKeys(): Promise<string> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  return exportPKCS8(privateKey)
}
