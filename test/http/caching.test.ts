/** No cache keeps an answer: neither JSON nor templates, neither pictures nor errors. */
import { get } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { file, form, postBytes, postForm, send, url } from './client.ts'
import { call, createCompany, createUser, signInAsAdmin, tokenHeader, upload } from './persistent/service.ts'

/** An answer as it is sent: `fetch` would unpack it. */
const bytesOf = (path: string, coding: string, headers: Record<string, string> = {}) =>
  new Promise<{ coding: string | undefined; bytes: Uint8Array }>((resolve, reject) => {
    get(`${url}${path}`, { headers: { ...headers, 'Accept-Encoding': coding } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ coding: answer.headers['content-encoding'], bytes: Buffer.concat(chunks) }),
      )
    }).on('error', reject)
  })

const caching = ({ headers }: { headers: Headers }) => headers.get('Cache-Control')

describe('no cache keeps', () => {
  let photo: Uint8Array

  beforeAll(async () => {
    photo = await portrait('redhead')
  })

  it('what Instant and Lite answer', async () => {
    const payload = { analyses: [{ type: 'quality' }] }
    const answers = [
      await postForm('/api/instant/folders/', form([file('a', photo)], payload)),
      await postBytes('/v1/face/liveness/detect', photo, 'image/jpeg'),
      await postBytes('/v1/face/pattern/extract', photo, 'image/jpeg'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers.map(caching)).toEqual(answers.map(() => 'no-store'))
  })

  it('errors', async () => {
    const answers = [
      await send('/api/nothing'),
      await send('/api/version', { method: 'DELETE' }),
      await postForm('/api/instant/folders/', form([], {})),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 405, 400])
    expect(answers.map(caching)).toEqual(answers.map(() => 'no-store'))
  })

  it.skipIf(testedRuntime === 'workers')('tokens, lists and pictures', async () => {
    const admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'Caching')
    const { token, email, password } = await createUser(admin.token, company, 'CLIENT')
    const { json } = await upload(token, '/api/folders/', form([file('a', photo)], {}))
    const { pathname } = new URL(json.media[0].original_url)
    const picture = await fetch(`${url}${pathname}`, { headers: tokenHeader(token) })
    expect(picture.status).toBe(200)
    expect(caching(picture)).toBe('private, no-store')
    await picture.arrayBuffer()
    const answers = [
      await call(null, 'POST', '/api/authorize/auth', { credentials: { email, password } }),
      await call(token, 'GET', '/api/folders/'),
      await call(token, 'GET', `/api/folders/${json.folder_id}`),
      await call(token, 'GET', '/api/users/me'),
    ]
    expect(answers.map(caching)).toEqual(answers.map(() => 'no-store'))
  })
})

describe.skipIf(testedRuntime === 'workers')('a list that has not changed', () => {
  it('is not sent again to who names its tag, and is for others, and after a change', async () => {
    const admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'Unchanged')
    const owner = await createUser(admin.token, company, 'CLIENT')
    const other = await createUser(admin.token, company, 'CLIENT')
    const photo = await portrait('redhead')
    await upload(owner.token, '/api/folders/', form([file('a', photo)], {}))
    const list = (token: string, headers: Record<string, string> = {}) =>
      fetch(`${url}/api/folders/?with_analyses=true`, { headers: { ...tokenHeader(token), ...headers } })
    const first = await list(owner.token)
    const tag = first.headers.get('ETag')!
    expect(tag).toMatch(/^W\/"[0-9a-f]{32}"$/)
    expect(await first.json()).toMatchObject({ total_count: 1 })
    const again = await list(owner.token, { 'If-None-Match': tag })
    expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', tag])
    expect((await list(other.token, { 'If-None-Match': tag })).status).toBe(200)
    await upload(owner.token, '/api/folders/', form([file('a', photo)], {}))
    const changed = await list(owner.token, { 'If-None-Match': tag })
    expect([changed.status, changed.headers.get('ETag') === tag]).toEqual([200, false])
  })

  it('is compressed for who can read that', async () => {
    const admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'Compressed')
    const { token } = await createUser(admin.token, company, 'CLIENT')
    const photo = await portrait('redhead')
    for (let i = 0; i < 3; i++) await upload(token, '/api/folders/', form([file('a', photo)], {}))
    const path = '/api/folders/'
    const [plain, packed] = [
      await bytesOf(path, 'identity', tokenHeader(token)),
      await bytesOf(path, 'gzip', tokenHeader(token)),
    ]
    expect([plain.coding, packed.coding]).toEqual([undefined, 'gzip'])
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3)
    expect(gunzipSync(packed.bytes)).toEqual(plain.bytes)
  })
})

describe.skipIf(testedRuntime === 'workers')('the API reference', () => {
  it('is compressed, and not sent again to who has it', async () => {
    const path = '/openapi.json'
    const [plain, packed] = [await bytesOf(path, 'identity'), await bytesOf(path, 'gzip')]
    expect([plain.coding, packed.coding]).toEqual([undefined, 'gzip'])
    expect(gunzipSync(packed.bytes)).toEqual(plain.bytes)
    const tag = (await send(path)).headers.get('ETag')!
    const again = await fetch(`${url}${path}`, { headers: { 'If-None-Match': tag } })
    expect([again.status, again.headers.get('Cache-Control')]).toEqual([304, 'no-cache'])
  })
})
