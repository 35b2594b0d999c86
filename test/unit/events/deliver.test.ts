import { createHmac } from 'node:crypto'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createDeliver,
  type DeliverOptions,
  type PinnedPost,
  type PostAnswer,
} from '../../../src/events/deliver.ts'
import { newWebhookSecret } from '../../../src/events/webhook-signature.ts'
import { softwareVersion } from '../../../src/version.ts'

const nowMs = 1_700_000_000_900
const delivery = {
  id: 'event-1',
  tenant: 'a company',
  url: 'https://hooks.example.com/in?x=1',
  body: '{"a": "ü"}',
  attempt: 2,
  secrets: [] as string[],
}

/** Only public addresses; lookups count for the tenant of the delivery. */
const rulesOf = (resolveHost: () => Promise<string[]>) => (tenant: string) => {
  expect(tenant).toBe(delivery.tenant)
  return { resolveHost, allowPrivate: false }
}

function attempt(answer: PostAnswer, options: Partial<DeliverOptions> = {}, secrets: string[] = []) {
  const post = vi.fn(async (_: PinnedPost) => answer)
  const result = createDeliver({
    rulesFor: rulesOf(async () => ['8.8.4.4']),
    post,
    nowMs: () => nowMs,
    timeoutMs: 30_000,
    ...options,
  })({ ...delivery, secrets })
  return { result, post }
}

describe('an attempt to deliver', () => {
  it('a delivery posts the body to the checked addresses, with the event id', async () => {
    const { result, post } = attempt({ status: 204 })
    expect(await result).toEqual({ ok: true, status: 204 })
    expect(post).toHaveBeenCalledExactlyOnceWith({
      url: new URL(delivery.url),
      addresses: ['8.8.4.4'],
      body: delivery.body,
      timeoutMs: 30_000,
      headers: {
        'Content-Type': 'application/json; charset=utf8',
        'User-Agent': `Vivace/${softwareVersion}`,
        'X-Vivace-Event-Id': 'event-1',
        'X-Vivace-Attempt': '2',
        'X-Vivace-Timestamp': '1700000000',
      },
    })
  })

  describe('with the secrets of its company', () => {
    const random = (length: number) => crypto.getRandomValues(new Uint8Array(length))
    const [secret, previous, foreign] = [0, 1, 2].map(() => newWebhookSecret(random)) as [
      string,
      string,
      string,
    ]

    beforeEach(() => void vi.useFakeTimers({ now: nowMs }))
    afterEach(() => void vi.useRealTimers())

    const sent = async () => {
      const { result, post } = attempt({ status: 200 }, {}, [secret, previous])
      await result
      const { headers, body } = post.mock.calls[0]![0]
      return { headers, body }
    }

    it('a delivery has a Standard Webhooks signature per secret, over id, time and body', async () => {
      const { headers, body } = await sent()
      expect(headers).toMatchObject({ 'webhook-id': 'event-1', 'webhook-timestamp': '1700000000' })
      for (const known of [secret, previous])
        expect(new Webhook(known).verify(body, headers)).toEqual({ a: 'ü' })
      expect(() => new Webhook(foreign).verify(body, headers)).toThrow(WebhookVerificationError)
      const changes = [{ 'webhook-id': 'event-2' }, { 'webhook-timestamp': '1700000001' }]
      for (const change of changes)
        expect(() => new Webhook(secret).verify(body, { ...headers, ...change })).toThrow(
          WebhookVerificationError,
        )
      expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow(WebhookVerificationError)
    })

    it('a delivery has another signature that covers the attempt number', async () => {
      const { headers, body } = await sent()
      const mac = (key: string) =>
        createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
          .update(`event-1.1700000000.2.${body}`)
          .digest('base64')
      expect(headers['X-Vivace-Attempt-Signature']).toBe(`v1,${mac(secret)} v1,${mac(previous)}`)
    })
  })

  it.each([
    [{ status: 200 }, { ok: true, status: 200 }],
    [{ status: 299 }, { ok: true, status: 299 }],
    [{ status: 199 }, { ok: false, status: 199, reason: 'status_refused' }],
    [{ status: 301 }, { ok: false, status: 301, reason: 'redirected' }],
    [{ status: 308 }, { ok: false, status: 308, reason: 'redirected' }],
    [{ status: 404 }, { ok: false, status: 404, reason: 'status_refused' }],
    [{ status: 500 }, { ok: false, status: 500, reason: 'status_refused' }],
    [{ failure: 'timed_out' }, { ok: false, status: null, reason: 'timed_out' }],
    [{ failure: 'tls_failed' }, { ok: false, status: null, reason: 'tls_failed' }],
  ] as const)('a response of %j counts as %j', async (answer, expected) => {
    expect(await attempt(answer).result).toEqual(expected)
  })

  it('nothing is sent to a name that now resolves to an internal address', async () => {
    const { result, post } = attempt(
      { status: 200 },
      { rulesFor: rulesOf(async () => ['8.8.4.4', '10.0.0.1']) },
    )
    expect(await result).toEqual({ ok: false, status: null, reason: 'address_refused' })
    expect(post).not.toHaveBeenCalled()
  })

  it('a delivery to an unresolved name fails and may be retried', async () => {
    const { result, post } = attempt(
      { status: 200 },
      { rulesFor: rulesOf(() => Promise.reject(new Error('no server'))) },
    )
    expect(await result).toEqual({ ok: false, status: null, reason: 'host_unresolved' })
    expect(post).not.toHaveBeenCalled()
  })
})
