/** A client of 2018 with API 5: empty forms, images instead of media, flags instead of roles, any 2xx is a success. */
import { beforeAll, expect, it } from 'vitest'
import { pause } from '../../src/queue/timers.ts'
import { portrait } from '../fixtures/portraits.ts'
import { type Credentials, client, newCompany, signIn, tokenHeader } from './stage.ts'
import { exchange, filePart, formOf, pathOf, type Sent } from './wire.ts'

const formType = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** Sends a request as the client does: throws for any status but 2xx. */
// biome-ignore lint/suspicious/noExplicitAny: the client reads arrays of arrays
async function ask(token: string, method: string, path: string, { headers, body }: Sent = {}): Promise<any> {
  const answer = await exchange(method, path, {
    headers: { ...headers, ...tokenHeader(token) },
    ...(body === undefined ? {} : { body }),
  })
  if (answer.status < 200 || answer.status > 299) throw new Error(answer.text)
  return answer.json
}

const json = (body: unknown): Sent => ({ headers: formType, body: JSON.stringify(body) })

client('the PHP client of 2018', () => {
  let admin: string
  let company: string
  let manager: string
  let selfie: Uint8Array
  let again: Uint8Array

  /** A user with the flags of API 5, without a role name. */
  async function newUser(flags: object): Promise<{ id: string; record: object; credentials: Credentials }> {
    const email = `php-${Date.now()}-${Math.random()}@vivace.test`
    const credentials = { email, password: 'a password of a test' }
    const profile = { company_id: company, first_name: 'First', last_name: 'Last', ...flags }
    const record = await ask(admin, 'POST', '/api/users/', json({ credentials, profile }))
    return { id: record.user_id, record, credentials }
  }

  beforeAll(async () => {
    ;({ admin, company } = await newCompany('PHP client'))
    manager = await signIn((await newUser({ is_admin: true })).credentials)
    selfie = await portrait('redhead')
    again = await portrait('redheadAgain')
  })

  const newFolder = async (): Promise<string> =>
    (await ask(manager, 'POST', '/api/folders', { headers: formType, body: '' })).folder_id

  /** curl sends `Expect: 100-continue` for bodies over a kilobyte. */
  function addImage(folder: string, bytes: Uint8Array) {
    const form = formOf([filePart('image', 'face.jpg', bytes)], '------------------------8c1d')
    const headers = { ...form.headers, Expect: '100-continue' }
    return ask(manager, 'POST', `/api/folders/${folder}/images`, { headers, body: form.body })
  }

  it('the PHP client creates an empty folder with an empty form', async () => {
    const folder = await ask(manager, 'POST', '/api/folders', { headers: formType, body: '' })
    expect(folder).toMatchObject({ folder_id: expect.any(String), media: [], resolution_status: 'INITIAL' })
  })

  it('the PHP client adds images, lists them, and finds their files at the old paths', async () => {
    const folder = await newFolder()
    const [added] = await addImage(folder, selfie)
    expect(added.original_name).toBe('face.jpg')
    expect(pathOf(added.original_url)).toBe(`/static/${folder}/${added.image_id}.jpg`)
    expect(pathOf(added.thumb_url)).toBe(`/static/${folder}/${added.image_id}_thumb.jpg`)
    const listed = await ask(manager, 'GET', `/api/folders/${folder}/images`)
    expect(listed).toEqual([added])
    const file = await exchange('GET', pathOf(added.thumb_url))
    expect([file.status, file.headers['content-type']]).toEqual([200, 'image/jpeg'])
  })

  it('the PHP client starts all possible analyses with one PATCH', async () => {
    const folder = await newFolder()
    await addImage(folder, selfie)
    await addImage(folder, again)
    const started = await ask(manager, 'PATCH', `/api/folders/${folder}/analyses`, { headers: formType })
    expect(started.map(({ type }: { type: string }) => type)).toEqual(['QUALITY', 'BIOMETRY'])
    for (let i = 0; i < 60; i++) {
      const { resolution_status, system_resolution } = await ask(manager, 'GET', `/api/folders/${folder}`)
      if (resolution_status !== 'PROCESSING') {
        expect({ resolution_status, system_resolution }).toEqual({
          resolution_status: 'FINISHED',
          system_resolution: 'SUCCESS',
        })
        return
      }
      await pause(500)
    }
    throw new Error('the folder does not end')
  })

  it('the PHP client removes images and their files', async () => {
    const folder = await newFolder()
    const [added] = await addImage(folder, selfie)
    await ask(manager, 'DELETE', `/api/folders/${folder}/images/${added.image_id}`)
    expect(await ask(manager, 'GET', `/api/folders/${folder}/images`)).toEqual([])
    expect((await exchange('GET', pathOf(added.original_url))).status).toBe(404)
  })

  it('the PHP client manages users by the flags of API 5', async () => {
    const { record } = await newUser({ is_service: true })
    expect(record).toMatchObject({ is_service: true, is_admin: false, can_start_analyse_quality: true })
    const limited = await newUser({ can_start_analyse_biometry: false })
    expect(limited.record).toMatchObject({
      can_start_analyse_biometry: false,
      can_start_analysis_biometry: false,
    })
    const token = await signIn(limited.credentials)
    const { folder_id } = await ask(token, 'POST', '/api/folders', { headers: formType, body: '' })
    const start = exchange('POST', `/api/folders/${folder_id}/analyses`, {
      headers: { ...formType, ...tokenHeader(token) },
      body: JSON.stringify({ analyses: [{ type: 'biometry' }] }),
    })
    expect((await start).json).toMatchObject({ error_code: 9 })
  })

  it('the PHP client changes a password by PATCH', async () => {
    const { id, credentials } = await newUser({})
    await ask(admin, 'PATCH', `/api/users/${id}`, json({ password: 'another password' }))
    await expect(signIn(credentials)).rejects.toThrow('401')
    expect(await signIn({ ...credentials, password: 'another password' })).toMatch(/./)
  })

  it('the PHP client gets the service token of its service account', async () => {
    const { id, credentials } = await newUser({ is_service: true })
    const record = await ask(await signIn(credentials), 'GET', '/api/authorize/service_token')
    expect(record).toMatchObject({ access_token: expect.any(String), session_id: expect.any(Number) })
    expect(await ask(record.access_token, 'GET', '/api/users/me')).toMatchObject({ user_id: id })
  })
})
