/** No cache keeps an answer: neither JSON nor templates, neither pictures nor errors. */
import { beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { file, form, postBytes, postForm, send, url } from './client.ts'
import { call, createCompany, createUser, signInAsAdmin, tokenHeader, upload } from './persistent/service.ts'

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
