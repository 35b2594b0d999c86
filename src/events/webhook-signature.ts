/**
 * Signatures by which a receiver authenticates webhooks: those of Standard Webhooks (https://www.standardwebhooks.com) with
 * a secret per company, and an older one with one key for all companies.
 */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { bytesFromBase64, encodeBase64 } from '../base64.ts'

const hmac = { name: 'HMAC', hash: 'SHA-256' }
const utf8 = new TextEncoder()

/** Largest accepted difference between the receiver's clock and a webhook's timestamp. */
const toleranceStandardS = 300

type Bytes = Uint8Array<ArrayBuffer>

const importKey = (key: Bytes, usage: 'sign' | 'verify'): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', key, hmac, false, [usage])

const importTextKey = (secret: string, usage: 'sign' | 'verify') => importKey(utf8.encode(secret), usage)

const secretPrefix = 'whsec_'
const secretBytes = 32

/** Generates a secret for a company: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (randomBytes: (length: number) => Uint8Array): string =>
  secretPrefix + encodeBase64(randomBytes(secretBytes))

/** The data that the signatures of one attempt cover. */
export interface SignedAttempt {
  /** Id of the event, the same in all its attempts. */
  id: string
  /** Time of this attempt in whole seconds since 1970. */
  timestampS: number
  /** 1 for the first attempt. */
  attempt: number
  body: string
}

async function signWithEach(secrets: readonly string[], text: string): Promise<string> {
  const signatures = secrets.map(async (secret) => {
    const key = await importKey(bytesFromBase64(secret.slice(secretPrefix.length)), 'sign')
    return `v1,${encodeBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(text))))}`
  })
  return (await Promise.all(signatures)).join(' ')
}

/**
 * Headers of Standard Webhooks, and another one in the same format that also covers the attempt number
 * (`<id>.<timestamp>.<attempt>.<body>`).
 * @param secrets the company's secret, and the previous one after a rotation; a receiver needs one of them
 */
export async function createStandardHeaders(
  { id, timestampS, attempt, body }: SignedAttempt,
  secrets: readonly string[],
): Promise<Record<string, string>> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': await signWithEach(secrets, `${id}.${timestampS}.${body}`),
    'X-Vivace-Attempt-Signature': await signWithEach(secrets, `${id}.${timestampS}.${attempt}.${body}`),
  }
}

const toSignedBytes = (body: string, timestampS: number) => utf8.encode(`${timestampS}.${body}`)

/**
 * Signs a webhook: HMAC-SHA256 over `<timestamp>.<body>` in UTF-8.
 * @param timestampS whole seconds since 1970
 * @param secret not empty
 * @returns the value of the header, `t=<timestamp>,v1=<64 hexadecimal digits>`
 */
export async function signWebhook(body: string, timestampS: number, secret: string): Promise<string> {
  const key = await importTextKey(secret, 'sign')
  const signature = await crypto.subtle.sign('HMAC', key, toSignedBytes(body, timestampS))
  return `t=${timestampS},v1=${bytesToHex(new Uint8Array(signature))}`
}

/**
 * Verifies a signature header as a receiver does: it must match the body and not be too old. Compares in constant time.
 * @example
 * ```ts
 * import { signWebhook, verifyWebhook } from './webhook-signature.ts'
 *
 * const header = await signWebhook('{"event":"folder"}', 1_700_000_000, 'secret')
 * await verifyWebhook('{"event":"folder"}', header, 'secret', 1_700_000_010) // → true
 * await verifyWebhook('{"event":"folder"}', header, 'secret', 1_700_009_999) // → false
 * ```
 */
export async function verifyWebhook(
  body: string,
  header: string,
  secret: string,
  nowS: number,
  toleranceS: number = toleranceStandardS,
): Promise<boolean> {
  const [, timestamp, signature] = /^t=(\d{1,15}),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (timestamp === undefined || signature === undefined) return false
  if (!(Math.abs(nowS - Number(timestamp)) <= toleranceS)) return false
  const key = await importTextKey(secret, 'verify')
  return crypto.subtle.verify('HMAC', key, hexToBytes(signature), toSignedBytes(body, Number(timestamp)))
}
