/** Webhooks, as a receiver verifies them (Standard Webhooks). */
import type { Folder, LinkEvent } from './answers.ts'
import { VivaceError } from './errors.ts'

/** The signature of a webhook is missing, wrong, or too old. */
export class WebhookError extends VivaceError {
  override readonly name = 'WebhookError'
}

type HeaderSource = Headers | { [name: string]: string | readonly string[] | undefined }

export interface WebhookOptions {
  /** Largest accepted difference between the clocks, in seconds. */
  toleranceS?: number
  /** Milliseconds since 1970. */
  nowMs?: number
}

const prefix = 'whsec_'

function readHeader(headers: HeaderSource, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const text = typeof value === 'string' ? value : value?.[0]
  if (!text) throw new WebhookError(`the header ${name} is missing`)
  return text
}

function decode(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return null
  }
}

/**
 * Verifies a webhook and reads its folder.
 * @param body the bytes or the text as they came, not parsed and written again
 * @param secret the secret of the company, `whsec_…`
 * @throws {WebhookError} if it is not from the owner of the secret, or is older than `toleranceS`
 */
export async function verifyWebhook(
  body: string | Uint8Array<ArrayBuffer>,
  headers: HeaderSource,
  secret: string,
  options?: WebhookOptions,
): Promise<{ id: string; folder: Folder }> {
  const { id, told } = await verify(body, headers, secret, options)
  return { id, folder: told as Folder }
}

/** The same for a webhook of the `state_endpoint` of a link. */
export async function verifyLinkWebhook(
  ...webhook: Parameters<typeof verifyWebhook>
): Promise<{ id: string; event: LinkEvent }> {
  const { id, told } = await verify(...webhook)
  return { id, event: told as LinkEvent }
}

async function verify(
  ...[body, headers, secret, { toleranceS = 300, nowMs = Date.now() } = {}]: Parameters<typeof verifyWebhook>
): Promise<{ id: string; told: unknown }> {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const age = Math.abs(nowMs / 1000 - Number(timestamp))
  if (!/^\d+$/.test(timestamp) || !(age <= toleranceS))
    throw new WebhookError('the timestamp is too old or too new')
  const raw = decode(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret)
  if (!raw || raw.length === 0) throw new TypeError(`the secret must be ${prefix} and base64`)
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  // After a change of the secret, one of two signatures fits.
  for (const part of readHeader(headers, 'webhook-signature').split(' ')) {
    const signature = part.startsWith('v1,') ? decode(part.slice(3)) : null
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed)))
      return { id, told: JSON.parse(text) as unknown }
  }
  throw new WebhookError('no signature fits')
}
