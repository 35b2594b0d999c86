/** Signatures by which a receiver authenticates webhooks: Standard Webhooks (https://www.standardwebhooks.com), with a secret per company. */
import { bytesFromBase64, encodeBase64 } from '../base64.ts'

const hmac = { name: 'HMAC', hash: 'SHA-256' }
const utf8 = new TextEncoder()

const secretPrefix = 'whsec_'
const secretBytes = 32

/** Generates a secret for a company: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (randomBytes: (length: number) => Uint8Array): string =>
  secretPrefix + encodeBase64(randomBytes(secretBytes))

/** The data that the signatures of one attempt cover. */
interface SignedAttempt {
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
    const bytes = bytesFromBase64(secret.slice(secretPrefix.length))
    const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign'])
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
