/** Refusals of bodies that are too long name the limit of the setting, whatever the media are wrapped in. */
import { describe, expect, it } from 'vitest'
import type { OpenedContainer } from '../../../src/container/container-reader.ts'
import { tooLarge } from '../../../src/http/body.ts'
import { decodeSample, readLiteParts, readSampleBody } from '../../../src/http/lite/read-lite.ts'
import { readSubmission } from '../../../src/http/submission/read-submission.ts'
import { readSettings } from '../../../src/settings.ts'
import { incoming } from '../../fixtures/incoming.ts'

const settings = readSettings({ SVC_ATTACHMENT_MAX_SIZE: '1' })
const limit = 2 ** 20
const reader = { settings, companyId: null, userId: null }
const base64 = { 'Content-Transfer-Encoding': 'base64' }
const octets = { 'Content-Type': 'application/octet-stream' }
const jpeg = { 'Content-Type': 'image/jpeg' }

/** A body of this length, whose length is announced. */
function sent(bytes: number, headers: Record<string, string>, text = '') {
  const body = text === '' ? new Uint8Array(bytes) : text.repeat(bytes / text.length)
  return incoming(new Request('http://a.test/', { method: 'POST', body, headers }))
}

function sentForm(bytes: number, headers: Record<string, string> = {}) {
  const body = new FormData()
  body.append('a', new Blob(['AAAA'.repeat(bytes / 4)], { type: 'image/jpeg' }), 'a.jpg')
  return incoming(new Request('http://a.test/', { method: 'POST', body, headers }))
}

const opened = (bytes: number): OpenedContainer => ({
  media: [{ bytes: new Uint8Array(bytes) } as OpenedContainer['media'][number]],
  payload: {},
  sessions: [],
  isExpired: false,
  fingerprint: 'f',
})

const door = {
  reader: { open: async () => opened(limit + 1) },
  nowMs: () => 0,
  isCompanyProven: false,
}
const kind = {} as Parameters<typeof readLiteParts>[2]

describe('a size refusal names the limit of the setting', () => {
  it.each([
    ['a form', () => readSubmission(sentForm(limit + 4), reader)],
    ['a form that is too long for its parts', () => readSubmission(sentForm(2.5 * limit), reader)],
    ['a container', () => readSubmission(sent(2 * limit + 1, octets), reader)],
    ['the media of a container', () => readSubmission(sent(10, octets), { ...reader, containers: door })],
    ['a sample', () => readSampleBody(sent(limit + 1, jpeg), settings, [])],
    [
      'a sample in base64',
      () => readSampleBody(sent(2 * limit, { ...jpeg, ...base64 }, 'AAAA'), settings, []),
    ],
    [
      'a sample in base64 that is too long once decoded',
      () =>
        readSampleBody(sent(1.4 * limit - ((1.4 * limit) % 4), { ...jpeg, ...base64 }, 'AAAA'), settings, []),
    ],
    [
      'a form in base64 that is too long once decoded',
      () => readLiteParts(sentForm(1.375 * limit, base64), settings, kind),
    ],
    [
      'media in base64 that are too long once decoded',
      () =>
        readSubmission(sentForm(1.375 * limit, base64), {
          ...reader,
          defaults: { analyses: [] },
          decodeMedium: decodeSample,
        }),
    ],
  ])('%s', async (_, read) => {
    await expect(read()).rejects.toMatchObject({
      code: 'body_too_large',
      message: expect.stringMatching(/^Request data too big: [\d.]+ MB or more; at most 1 MB$/),
      details: { bytes_max: limit },
    })
  })

  it('a size just above the limit is not shown as the limit', () => {
    expect(tooLarge(24 * limit + 1, 24 * limit).message).toMatch(/: 24\.01 MB or more; at most 24 MB$/)
  })

  it('base64 within the limit is accepted once decoded', async () => {
    const sample = await readSampleBody(sent(1.25 * limit, { ...jpeg, ...base64 }, 'AAAA'), settings, [])
    expect(sample.bytes.length).toBe(1.25 * limit * 0.75)
  })
})

describe('the content type of a sample', () => {
  it('is refused with what is read here, and may be that of any picture', async () => {
    const reading = readSampleBody(sent(10, octets), settings, ['image/jpeg', 'video/mp4', 'image/png'])
    await expect(reading).rejects.toMatchObject({
      code: 'content_type_invalid',
      message: 'The Content-Type must be one of image/jpeg, image/png',
    })
    const heic = { 'Content-Type': 'image/heic' }
    expect((await readSampleBody(sent(10, heic), settings, ['image/jpeg'])).bytes.length).toBe(10)
  })
})
