import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { verifyLinkWebhook, verifyWebhook, WebhookError } from '../../../client/webhook.ts'
import { createStandardHeaders } from '../../../src/events/webhook-signature.ts'

const secret = `whsec_${btoa('a secret of thirty-two bytes, ok')}`
const other = `whsec_${btoa('another secret of 32 bytes, yes!')}`
const body = '{"folder_id": "f", "system_resolution": "SUCCESS", "ü": 1}'
const nowMs = 1_700_000_000_000
const timestampS = nowMs / 1000
const signed = (secrets: readonly string[]) =>
  createStandardHeaders({ id: 'event-1', timestampS, attempt: 1, body }, secrets)

describe('a webhook', () => {
  it('is verified as the server signs it', async () => {
    const headers = await signed([secret])
    const { id, folder } = await verifyWebhook(body, headers, secret, { nowMs })
    expect([id, folder.folder_id]).toEqual(['event-1', 'f'])
    const bytes = new TextEncoder().encode(body)
    await expect(verifyWebhook(bytes, new Headers(headers), secret, { nowMs })).resolves.toMatchObject({ id })
  })

  it('of a link is verified likewise', async () => {
    const { id, event } = await verifyLinkWebhook(body, await signed([secret]), secret, { nowMs })
    expect([id, event.folder_id]).toEqual(['event-1', 'f'])
    await expect(verifyLinkWebhook(body, await signed([other]), secret, { nowMs })).rejects.toBeInstanceOf(
      WebhookError,
    )
  })

  it('is verified as the reference implementation signs it', async () => {
    const signature = new Webhook(secret).sign('event-1', new Date(nowMs), body)
    const headers = {
      'Webhook-Id': 'event-1',
      'Webhook-Timestamp': [String(timestampS)],
      'Webhook-Signature': signature,
    }
    await expect(verifyWebhook(body, headers, secret, { nowMs })).resolves.toMatchObject({ id: 'event-1' })
  })

  it('is verified with either secret after a change', async () => {
    const headers = await signed([other, secret])
    await expect(verifyWebhook(body, headers, secret, { nowMs })).resolves.toMatchObject({ id: 'event-1' })
    await expect(verifyWebhook(body, headers, other, { nowMs })).resolves.toMatchObject({ id: 'event-1' })
  })

  const refused: [string, (headers: Record<string, string>) => Record<string, string>, string, number][] = [
    ['another body', (headers) => headers, `${body} `, nowMs],
    ['another id', (headers) => ({ ...headers, 'webhook-id': 'event-2' }), body, nowMs],
    ['another time', (headers) => ({ ...headers, 'webhook-timestamp': String(timestampS + 1) }), body, nowMs],
    ['no time', (headers) => ({ ...headers, 'webhook-timestamp': 'now' }), body, nowMs],
    ['no signature', ({ 'webhook-signature': _, ...headers }) => headers, body, nowMs],
    [
      'another version',
      (headers) => ({ ...headers, 'webhook-signature': headers['webhook-signature']!.replace('v1,', 'v2,') }),
      body,
      nowMs,
    ],
    [
      'a signature that is not base64',
      (headers) => ({ ...headers, 'webhook-signature': 'v1,%%%' }),
      body,
      nowMs,
    ],
    ['an old time', (headers) => headers, body, nowMs + 301_000],
    ['a time to come', (headers) => headers, body, nowMs - 301_000],
  ]
  it.each(refused)('is refused with %s', async (_, change, text, at) => {
    const headers = change(await signed([secret]))
    await expect(verifyWebhook(text, headers, secret, { nowMs: at })).rejects.toBeInstanceOf(WebhookError)
  })

  it('is refused if the secret is another one', async () => {
    await expect(verifyWebhook(body, await signed([secret]), other, { nowMs })).rejects.toBeInstanceOf(
      WebhookError,
    )
    await expect(verifyWebhook(body, await signed([secret]), 'whsec_', { nowMs })).rejects.toBeInstanceOf(
      TypeError,
    )
  })
})
