/** The second factor: codes of an authenticator app (TOTP, RFC 6238). */
import { Secret, TOTP } from 'otpauth'
import type { RandomBytes } from './passwords.ts'

/** As apps expect them: six digits by SHA-1, for 30 s. */
const periodS = 30
/** How many codes before and after the present one count too: clocks differ, and people type. */
const toleratedSteps = 1
/** The length that RFC 4226, section 4, recommends. */
const secretBytes = 20

/** A secret for an app, in base 32. */
export const newSecret = (randomBytes: RandomBytes): string =>
  new Secret({ buffer: new Uint8Array(randomBytes(secretBytes)).buffer }).base32

/** Characters of an e-mail that the app shows: a QR code of a longer address takes long to draw, and is hard to scan. */
const labelLengthMax = 64

/** The address by which an app takes a secret over: `otpauth://totp/…`. */
export const secretAddress = (secret: string, email: string): string =>
  new TOTP({ issuer: 'Vivace', label: [...email].slice(0, labelLengthMax).join(''), secret }).toString()

/**
 * The step of 30 s, counted from 1970, that a code belongs to; `null` if it is none of those that count now. Who accepts a code
 * remembers its step, so that it counts once.
 * @example
 * ```ts
 * import { stepOfCode } from './second-factor.ts'
 *
 * stepOfCode('287082', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', 59_000) // → 1
 * stepOfCode('287082', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', 120_000) // → null
 * ```
 */
export function stepOfCode(code: string, secret: string, nowMs: number): number | null {
  const token = code.replaceAll(/\s/g, '')
  // The library throws for six characters that are more bytes.
  if (!/^[0-9]{6}$/.test(token)) return null
  const delta = new TOTP({ secret }).validate({ token, timestamp: nowMs, window: toleratedSteps })
  return delta === null ? null : Math.floor(nowMs / 1000 / periodS) + delta
}
