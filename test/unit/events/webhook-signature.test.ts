import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { signWebhook, verifyWebhook } from '../../../src/events/webhook-signature.ts'

const body = '{"folder_id": "ü"}'
const timestampS = 1_700_000_000

describe('the signature of a webhook', () => {
  it('a webhook signature is the HMAC-SHA256 of time and body', async () => {
    const digest = createHmac('sha256', 'key').update(`${timestampS}.${body}`, 'utf8').digest('hex')
    expect(await signWebhook(body, timestampS, 'key')).toBe(`t=${timestampS},v1=${digest}`)
  })

  it('a webhook signature is accepted with its own body, key and time', async () => {
    const header = await signWebhook(body, timestampS, 'key')
    expect(await verifyWebhook(body, header, 'key', timestampS + 299.5)).toBe(true)
    expect(await verifyWebhook(body, header, 'key', timestampS - 299.5)).toBe(true)
  })

  it('a webhook signature is refused with another body, key or time', async () => {
    const header = await signWebhook(body, timestampS, 'key')
    expect(await verifyWebhook(`${body} `, header, 'key', timestampS)).toBe(false)
    expect(await verifyWebhook(body, header, 'other', timestampS)).toBe(false)
    expect(await verifyWebhook(body, header, 'key', timestampS + 301)).toBe(false)
    expect(await verifyWebhook(body, header, 'key', Number.NaN)).toBe(false)
    const later = header.replace(String(timestampS), String(timestampS + 1))
    expect(await verifyWebhook(body, later, 'key', timestampS)).toBe(false)
  })

  it.each(['', 't=,v1=', `t=${timestampS}`, `t=${timestampS},v1=00`, `t=1e9,v1=${'0'.repeat(64)}`])(
    'is refused as %s',
    async (header) => {
      expect(await verifyWebhook(body, header, 'key', timestampS)).toBe(false)
    },
  )
})
