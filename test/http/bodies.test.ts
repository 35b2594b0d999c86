/** Bodies as clients send them by mistake: read where a standard allows it, otherwise refused with what to change. */
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { readPictureTypes } from '../fixtures/server.ts'
import { type Answer, file, form, postBytes, postForm } from './client.ts'

const instant = '/api/instant/folders/'
const detect = '/v1/face/liveness/detect'
const extract = '/v1/face/pattern/extract'
const payload = { analyses: [{ type: 'quality' }] }

let photo: Uint8Array
let text: Uint8Array
let dataUrl: Uint8Array

const bytesOf = (value: string): Uint8Array => new TextEncoder().encode(value)

beforeAll(async () => {
  photo = await portrait('redhead')
  const base64 = Buffer.from(photo).toString('base64')
  text = bytesOf(base64)
  dataUrl = bytesOf(`data:image/jpeg;base64,${base64}`)
})

interface RawPart {
  head: string
  bytes: Uint8Array
}

const mediumHead = 'Content-Disposition: form-data; name="photo"; filename="a.jpg"'

/** A form whose parts have headers that no library writes. */
async function postParts(path: string, parts: readonly RawPart[], headers = {}): Promise<Answer> {
  const payloadPart = {
    head: 'Content-Disposition: form-data; name="payload"',
    bytes: bytesOf(JSON.stringify(payload)),
  }
  const pieces = [payloadPart, ...parts].flatMap(({ head, bytes }) => [
    bytesOf(`--x\r\n${head}\r\n\r\n`),
    bytes,
    bytesOf('\r\n'),
  ])
  const body = new Uint8Array(Buffer.concat([...pieces, bytesOf('--x--\r\n')]))
  return postBytes(path, body, 'multipart/form-data; boundary=x', headers)
}

const refusal = (code: number, message: string | RegExp, details: object) => ({
  error_code: code,
  error_message: typeof message === 'string' ? message : expect.stringMatching(message),
  details,
})

describe('a file that is the whole body', () => {
  const asForm = /multipart\/form-data/

  it.each(['image/jpeg', 'video/mp4'])('of type %s is refused with the form to send', async (type) => {
    const { status, json } = await postBytes(instant, photo, type)
    expect(status).toBe(400)
    expect(json).toMatchObject(
      refusal(3, /send a form .*multipart\/form-data.* the file as a part/, { key_path: 'Content-Type' }),
    )
  })

  it.each(['application/x-www-form-urlencoded', 'text/plain', ''])(
    'of type "%s", which clients also give JSON, is refused with the form to send',
    async (type) => {
      const { status, json } = await postBytes(instant, photo, type)
      expect(status).toBe(400)
      const expected = expect.stringMatching(asForm)
      expect(json).toMatchObject(refusal(3, 'Could not parse body as JSON object', { expected }))
      // No text, but more opened than closed brackets.
      const nested = await postBytes(instant, new Uint8Array(1000).fill(0x5b), type)
      expect(nested.json).toMatchObject(refusal(3, 'Could not parse body as JSON object', { expected }))
    },
  )

  it('that is longer than JSON may be is not told to shrink', async () => {
    const long = new Uint8Array(2 ** 21)
    const { status, json } = await postBytes(instant, long, 'application/x-www-form-urlencoded')
    expect(status).toBe(400)
    expect(json).toMatchObject(
      refusal(14, /^A body of JSON has at most 1 MB; .*form/, { bytes_max: 2 ** 20 }),
    )
  })

  it('of the type of containers is refused as none, with the form to send', async () => {
    const { status, json } = await postBytes(instant, photo, 'application/octet-stream')
    expect([status, json.error_code, json.error_message]).toEqual([400, 14, 'Invalid request data'])
    expect(JSON.stringify(json.details)).toMatch(/parts of a form/)
  })

  it('of no image type is refused by Lite with the types to send', async () => {
    const { status, json } = await postBytes(detect, photo, 'application/x-www-form-urlencoded')
    expect(status).toBe(400)
    expect(json).toEqual({
      code: 'BPE-002001',
      message: `The Content-Type must be one of ${readPictureTypes.join(', ')}`,
    })
  })
})

describe('a compressed body', () => {
  it.each(['gzip', 'deflate', 'br'])('of %s is refused by its name', async (encoding) => {
    const headers = { 'Content-Encoding': encoding }
    const message = `The body is compressed (Content-Encoding: ${encoding}); send it as it is`
    const body = new Uint8Array(gzipSync(bytesOf(JSON.stringify(payload))))
    const full = await postBytes(instant, body, 'application/json', headers)
    expect(full.status).toBe(400)
    expect(full.json).toMatchObject(refusal(3, message, { key_path: 'Content-Encoding' }))
    const lite = await postBytes(detect, body, 'image/jpeg', headers)
    expect([lite.status, lite.json]).toEqual([400, { code: 'BPE-002001', message }])
  })
})

describe('a part', () => {
  it('without file name and type is a medium by its bytes', async () => {
    const head = 'Content-Disposition: form-data; name="photo"'
    const { status, json } = await postParts(instant, [{ head, bytes: photo }])
    expect([status, json.media?.length]).toEqual([200, 1])
    const typed = await postParts(instant, [{ head: `${head}\r\nContent-Type: text/plain`, bytes: photo }])
    expect([typed.status, typed.json.media?.length]).toEqual([200, 1])
  })

  it.each(['base.jpg', 'BMW', 'carefree', 'grüße', 'data:image/jpeg;base64,/9j/'])(
    'with the text "%s" where a file is meant is named, with what to send',
    async (value) => {
      const { status, json } = await postForm(instant, form([], payload, { selfie: value }))
      expect(status).toBe(400)
      expect(json).toMatchObject(
        refusal(4, "Can't start analysis without media", {
          key_path: 'selfie',
          expected: expect.stringMatching(/^a file: .* curl -F photo=@selfie\.jpg/),
        }),
      )
    },
  )

  it('with text beside a file is ignored', async () => {
    const sent = form([file('photo', photo)], payload, { selfie: 'base.jpg' })
    expect((await postForm(instant, sent)).status).toBe(200)
  })

  it.each(['photo', 'payload'])('with the name %s in single quotes is refused for them', async (name) => {
    const head = `Content-Disposition: form-data; name='${name}'`
    const { status, json } = await postParts(instant, [{ head, bytes: photo }])
    expect([status, json]).toMatchObject([400, { error_code: 3 }])
    expect(json.error_message).toMatch(/in single quotes, .*: use double quotes or none/)
  })

  it('that is not JSON, where the payload is meant, is named', async () => {
    const { status, json } = await postForm(instant, form([file('photo', photo)], '<payload>'))
    expect(status).toBe(400)
    const details = { key_path: 'payload', expected: 'a JSON object' }
    expect(json).toMatchObject(refusal(3, 'Could not parse body as JSON object', details))
  })
})

describe('base64', () => {
  it('in a body of JSON is named, with what to send', async () => {
    for (const value of [text, dataUrl]) {
      const selfie = new TextDecoder().decode(value)
      const body = bytesOf(JSON.stringify({ ...payload, selfie }))
      const { status, json } = await postBytes(instant, body, 'application/json')
      expect(status).toBe(400)
      const expected = expect.stringMatching(/^a file: .* curl -F photo=@selfie\.jpg/)
      expect(json).toMatchObject(
        refusal(4, "Can't start analysis without media", { key_path: 'selfie', expected }),
      )
    }
    const named = bytesOf(
      JSON.stringify({ ...payload, ['x'.repeat(500_000)]: new TextDecoder().decode(text.slice(0, 1000)) }),
    )
    const { json } = await postBytes(instant, named, 'application/json')
    expect(json.details.key_path).toBe('x'.repeat(255))
  })

  const coded = `${mediumHead}\r\nContent-Transfer-Encoding: `

  it.each(['base64', 'BASE64'])('that the header of its part names %s is read', async (name) => {
    const { status, json } = await postParts(instant, [{ head: coded + name, bytes: text }])
    expect([status, json.media?.length]).toEqual([200, 1])
  })

  it('is decoded once where the part and the request name it', async () => {
    const both = { 'Content-Transfer-Encoding': 'base64' }
    const { status, json } = await postParts(detect, [{ head: `${coded}base64`, bytes: text }], both)
    expect([status, json.media?.length]).toEqual([200, 1])
    const sample = (name: string) => ({
      head: `${coded}base64`.replace('"photo"', `"${name}"`),
      bytes: Uint8Array.from(text),
    })
    const compared = await postParts(
      '/v1/face/pattern/extract_and_compare',
      [sample('sample_1'), sample('sample_2')],
      both,
    )
    expect([compared.status, compared.json.decision]).toEqual([200, 'approved'])
  })

  it.each(['binary', '8bit', '7bit'])('is not what a part of %s is taken for', async (name) => {
    expect((await postParts(instant, [{ head: coded + name, bytes: photo }])).status).toBe(200)
  })

  it('that is none, and other encodings of parts, are refused', async () => {
    const details = { key_path: 'photo' }
    const none = await postParts(instant, [{ head: `${coded}base64`, bytes: photo }])
    expect([none.status, none.json]).toMatchObject([400, refusal(3, /is not base64/, details)])
    const other = await postParts(instant, [{ head: `${coded}quoted-printable`, bytes: photo }])
    expect([other.status, other.json]).toMatchObject([400, refusal(3, /binary or base64/, details)])
  })

  it('without a header is named, with what to send', async () => {
    const message = /base64 text; send its bytes, or .*Content-Transfer-Encoding: base64/
    const full = await postForm(instant, form([file('photo', text)], payload))
    expect([full.status, full.json]).toMatchObject([400, refusal(5, message, { key_path: 'photo' })])
    for (const path of [detect, extract]) {
      const { status, json } = await postBytes(path, text, 'image/jpeg')
      expect([status, json]).toMatchObject([
        400,
        { code: 'BPE-002003', message: expect.stringMatching(message) },
      ])
    }
  })

  it.each([{}, { 'Content-Transfer-Encoding': 'base64' }])(
    'of a data URL is named, headers %j',
    async (headers) => {
      const message = /a data URL; send the bytes that it encodes/
      const lite = { code: 'BPE-002003', message: expect.stringMatching(message) }
      const raw = await postBytes(detect, dataUrl, 'image/jpeg', headers)
      expect([raw.status, raw.json]).toMatchObject([400, lite])
      const parts = await postForm(detect, form([file('photo', dataUrl)], payload), headers)
      expect([parts.status, parts.json]).toMatchObject([400, lite])
      const two = form([file('sample_1', dataUrl), file('sample_2', dataUrl)])
      const compared = await postForm('/v1/face/pattern/extract_and_compare', two, headers)
      expect([compared.status, compared.json]).toMatchObject([400, lite])
      expect(compared.json.message).toMatch(/sample_1/)
      const full = await postForm(instant, form([file('photo', dataUrl)], payload))
      expect([full.status, full.json]).toMatchObject([400, refusal(5, message, { key_path: 'photo' })])
    },
  )
})
