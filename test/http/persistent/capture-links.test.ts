/** Links to `/capture`: made by a user, opened and used by whoever has the address. */
import { beforeAll, describe, expect, it } from 'vitest'
import { sealContainer } from '../../../client/seal.ts'
import { hashToken } from '../../../src/identity/access-token.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { testedRuntime } from '../../fixtures/server.ts'
import { type Answer, file, form, url } from '../client.ts'
import { postContainer } from './sealed.ts'
import { call, createCompany, createUser, type Signed, signInAsAdmin, upload } from './service.ts'

describe.skipIf(testedRuntime === 'workers')('links to /capture', () => {
  let admin: Signed
  let client: Signed
  let colleague: Signed
  let manager: Signed
  let stranger: Signed
  let face: Uint8Array
  let other: Uint8Array

  beforeAll(async () => {
    face = await portrait('smiling')
    other = await portrait('redhead')
    admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'Links')
    client = await createUser(admin.token, company, 'CLIENT')
    colleague = await createUser(admin.token, company, 'CLIENT')
    manager = await createUser(admin.token, company, 'CLIENT_ADMIN')
    stranger = await createUser(admin.token, await createCompany(admin.token, 'Elsewhere'), 'CLIENT_ADMIN')
  })

  const ask = (user: Signed, method: string, path: string, body?: unknown) =>
    call(user.token, method, `/api/capture_links${path}`, body)
  /** A new link for a photo, and the secret in its address. */
  async function make(
    body: object = {},
    user = client,
  ): Promise<{ id: string; secret: string; json: Answer['json'] }> {
    const { status, json, text } = await ask(user, 'POST', '', { mode: 'photo', ...body })
    expect(status, text).toBe(201)
    return { id: json.capture_link_id, secret: json.url.split('#link=')[1], json }
  }
  const show = async (id: string, user = client) => (await ask(user, 'GET', `/${id}`)).json
  const open = (secret: string) => call(secret, 'GET', '/api/capture')
  const send = (secret: string, payload: object = {}, bytes = face) =>
    upload(secret, '/api/capture', form([file('photo_selfie', bytes)], payload))
  const outcome = ({ status, json }: Answer) => [
    status,
    json.error_code,
    json.details?.state ?? json.details?.key_path,
  ]

  it('a link is sent, opened, used once and decided', async () => {
    const { id, secret, json } = await make({
      meta_data: { order: 'A-17' },
      language: 'de',
      return_url: 'https://shop.example/done?a=1',
      resolution_endpoint: `${url}/nowhere`,
    })
    expect(json.url).toMatch(new RegExp(`^${url}/capture#link=[0-9a-f]{32}$`))
    expect(json.qr).toMatch(/^<svg [^>]*viewBox=[\s\S]*<\/svg>$/)
    expect(json).toMatchObject({ uses: 1, uses_left: 1, folder_ids: [], time_opened: null })
    expect(json.time_expires - json.time_created).toBe(24 * 3600)
    const sent = await show(id)
    expect(sent).toMatchObject({ state: 'sent', meta_data: { order: 'A-17' } })
    expect(JSON.stringify(sent)).not.toContain(secret)

    expect((await open(secret)).json).toEqual({
      mode: 'photo',
      language: 'de',
      consent: null,
      return_url: 'https://shop.example/done?a=1',
      time_expires: json.time_expires,
    })
    expect((await show(id)).state).toBe('opened')

    // What the caller wants of the folder does not count.
    const captured = await send(secret, {
      'folder:meta_data': { order: 'B' },
      analyses: [{ type: 'biometry' }],
    })
    const { folder_id } = captured.json
    // The person sees no score and no finding.
    const shown = { type: 'QUALITY', state: 'FINISHED', error_code: null, technical_meta_data: {} }
    expect([captured.status, captured.json]).toEqual([
      201,
      { folder_id, resolution_status: 'FINISHED', system_resolution: 'SUCCESS', analyses: [shown] },
    ])
    const decided = await show(id)
    const gone = { meta_data: {}, return_url: null }
    expect(decided).toMatchObject({ state: 'decided', uses_left: 0, folder_ids: [folder_id], ...gone })
    expect(decided.time_decided).toBeGreaterThanOrEqual(decided.time_opened)

    const folder = (await call(client.token, 'GET', `/api/folders/${folder_id}?with_analyses=true`)).json
    expect(folder).toMatchObject({
      company_id: client.companyId,
      user_id: client.userId,
      meta_data: { order: 'A-17', vivace_capture_link: id },
      resolution_endpoint: `${url}/nowhere`,
    })
    expect(folder.analyses.map(({ type }: Answer['json']) => type)).toEqual(['QUALITY'])

    expect(outcome(await open(secret))).toEqual([410, 221, 'captured'])
    expect(outcome(await send(secret))).toEqual([410, 221, 'captured'])
    // There is nothing left to withdraw.
    expect((await ask(client, 'DELETE', `/${id}`)).status).toBe(204)
    expect((await show(id)).state).toBe('decided')
  })

  it('a link belongs to its author and company', async () => {
    const { id } = await make()
    for (const user of [colleague, stranger])
      for (const method of ['GET', 'DELETE']) expect(outcome(await ask(user, method, `/${id}`))[0]).toBe(404)
    const listed = async (user: Signed) =>
      (await ask(user, 'GET', `?capture_link_id=${id}`)).json.items.map(
        ({ capture_link_id }: Answer['json']) => capture_link_id,
      )
    expect(await Promise.all([client, manager, colleague, stranger].map(listed))).toEqual([
      [id],
      [id],
      [],
      [],
    ])
  })

  it('the secret opens nothing else, and nothing else opens the page', async () => {
    const { secret } = await make()
    const paths = ['folders', 'users/me', 'capture_links', 'authorize/session_token']
    const others = await Promise.all(paths.map((path) => call(secret, 'GET', `/api/${path}`)))
    expect(others.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    expect((await send(client.token)).status).toBe(404)
    expect(outcome(await call(null, 'GET', '/api/capture'))).toEqual([401, 6, undefined])
  })

  it('a refused medium leaves the link as it was', async () => {
    const { id, secret } = await make()
    const refusals = [
      await send(secret, {}, new Uint8Array(2000)),
      await send(secret, { 'media:tags': { photo_selfie: ['photo_id_front'] } }),
      await upload(secret, '/api/capture', form([], {})),
      await upload(secret, '/api/capture', form([file('one', face), file('two', face)], {})),
    ]
    expect(refusals.map(({ status, json }) => [status, json.error_code])).toEqual([
      [400, 5],
      [400, 4],
      [400, 4],
      [400, 4],
    ])
    expect(refusals[1]?.json.details).toEqual({ key_path: 'photo_selfie', expected: 'photo' })
    expect((await send((await make({ mode: 'clip' })).secret)).json.error_code).toBe(5)
    expect((await show(id)).uses_left).toBe(1)
    expect((await send(secret)).status).toBe(201)
  })

  it('of two captures at once the link takes one', async () => {
    const { id, secret } = await make()
    const both = await Promise.all([send(secret), send(secret)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 410])
    const folders = await call(client.token, 'GET', `/api/folders?meta_data=vivace_capture_link==${id}`)
    expect(folders.json.total_count).toBe(1)
  })

  it('a link with two uses takes two captures', async () => {
    const { id, secret } = await make({ uses: 2, meta_data: { order: 'C' } })
    await send(secret)
    expect(await show(id)).toMatchObject({ state: 'decided', uses_left: 1, meta_data: { order: 'C' } })
    await send(secret)
    const { folder_ids, uses_left } = await show(id)
    expect([folder_ids.length, uses_left]).toEqual([2, 0])
  })

  it('a link is decided when a person has decided what waited for one', async () => {
    const list = await call(manager.token, 'POST', '/api/collections', { alias: 'Guests' })
    const { collection_id } = list.json
    await upload(manager.token, `/api/collections/${collection_id}/persons`, form([file('photo', face)]))
    const params = { collection_id, threshold_min: 0, threshold_max: 1 }
    // Everybody is between the thresholds.
    const { id, secret } = await make({ uses: 2, analyses: [{ type: 'collection', params }] })
    const operator = await createUser(admin.token, null, 'OPERATOR')
    const isListed = async (state: string) =>
      (await ask(client, 'GET', `?capture_link_id=${id}&state=${state}`)).json.total_count === 1
    const sent = [(await send(secret, {}, other)).json, (await send(secret, {}, other)).json]
    for (const { folder_id, system_resolution } of sent) {
      expect(system_resolution).toBe('OPERATOR_REQUIRED')
      expect(await show(id)).toMatchObject({ state: 'captured', time_decided: null })
      expect(await isListed('captured')).toBe(true)
      await call(operator.token, 'PATCH', `/api/folders/${folder_id}`, { operator_status: 'DECLINED' })
    }
    const { state, time_captured, time_decided } = await show(id)
    expect([state, time_decided >= time_captured]).toEqual(['decided', true])
    expect(await isListed('decided')).toBe(true)
  })

  it('a link that was withdrawn, or whose author is blocked, takes nothing', async () => {
    const { id, secret } = await make()
    expect((await ask(client, 'DELETE', `/${id}`)).status).toBe(204)
    expect(outcome(await open(secret))).toEqual([410, 221, 'withdrawn'])
    expect(outcome(await send(secret))).toEqual([410, 221, 'withdrawn'])
    expect((await show(id)).state).toBe('withdrawn')

    const blocked = await make({}, colleague)
    await call(admin.token, 'PATCH', `/api/users/${colleague.userId}`, { is_active: false })
    expect(outcome(await send(blocked.secret))).toEqual([410, 221, 'withdrawn'])
  })

  it('links are listed by their state', async () => {
    const author = await createUser(admin.token, client.companyId, 'CLIENT')
    const [sent, opened, withdrawn, decided, removed] = await Promise.all(
      [{}, {}, {}, {}, {}].map((body) => make(body, author)),
    )
    await open(opened!.secret)
    await ask(author, 'DELETE', `/${withdrawn!.id}`)
    await send(decided!.secret)
    // A folder that was removed is decided no more.
    const { folder_id } = (await send(removed!.secret)).json
    await call(manager.token, 'DELETE', `/api/folders/${folder_id}`)
    const listed = async (filter: string) => {
      const { json } = await ask(author, 'GET', `?${filter}`)
      return [json.total_count, json.items.map(({ capture_link_id: id }: Answer['json']) => id).sort()]
    }
    const made = { sent, opened, withdrawn, decided, captured: removed }
    for (const [state, link] of Object.entries(made)) {
      expect((await show(link!.id, author)).state).toBe(state)
      expect(await listed(`state=${state}`)).toEqual([1, [link!.id]])
    }
    expect(await listed('state=expired')).toEqual([0, []])
    expect(await listed('state=sent,opened')).toEqual([2, [sent!.id, opened!.id].sort()])
    expect(await listed('state.exclude=captured,decided,withdrawn')).toEqual([
      2,
      [sent!.id, opened!.id].sort(),
    ])
    expect(outcome(await ask(author, 'GET', '?state=lost'))).toEqual([400, 4, 'state'])
  })

  it('the folder keeps which text the person agreed to, and when', async () => {
    const consent = 'We compare your face with your passport.\nNothing else.'
    const { secret } = await make({ consent })
    const sha256 = await hashToken(consent)
    expect((await open(secret)).json.consent).toEqual({ text: consent, sha256 })
    const agreeing = (vivace_consent: string) => ({ 'folder:meta_data': { vivace_consent } })
    const place = 'folder:meta_data.vivace_consent'
    expect(outcome(await send(secret))).toEqual([400, 4, place])
    expect(outcome(await send(secret, agreeing('0'.repeat(64))))).toEqual([400, 4, place])
    const { folder_id } = (await send(secret, agreeing(sha256))).json
    const { meta_data, time_created } = (await call(client.token, 'GET', `/api/folders/${folder_id}`)).json
    expect(meta_data.vivace_consent).toBe(sha256)
    expect(Math.abs(Date.parse(meta_data.vivace_consent_time) / 1000 - time_created)).toBeLessThan(60)
  })

  it('a sealed capture is taken, with a session token of the link', async () => {
    const { id, secret } = await make()
    const { session_token } = (await call(secret, 'POST', '/api/capture/session_token')).json
    const keys = (await call(null, 'GET', '/api/jwks')).json
    const media = [{ name: 'photo_selfie', bytes: new Uint8Array(face), tags: ['photo_selfie'] }]
    const sealed = await sealContainer({
      sessionToken: session_token,
      keys,
      payload: { analyses: [] },
      media,
    })
    expect((await postContainer({ token: secret }, sealed, '/api/capture')).status).toBe(201)
    expect((await show(id)).state).toBe('decided')
  })

  it.each([
    [{ return_url: 'javascript:alert(1)' }, 'return_url'],
    [{ return_url: 'ftp://shop.example' }, 'return_url'],
    [{ return_url: 'https://bank.example@evil.example' }, 'return_url'],
    [{ return_url: '/done' }, 'return_url'],
    [{ resolution_endpoint: 'ftp://shop.example' }, 'resolution_endpoint'],
    [{ uses: 0 }, 'uses'],
    [{ uses: 1001 }, 'uses'],
    [{ lifetime: 59 }, 'lifetime'],
    [{ lifetime: 30 * 24 * 3600 + 1 }, 'lifetime'],
    [{ consent: ' ' }, 'consent'],
    [{ consent: 'x'.repeat(2001) }, 'consent'],
    [{ language: 'fr' }, 'language'],
    [{ mode: 'film' }, 'mode'],
    [{ lifetme: 60 }, 'lifetme'],
    [{ analyses: [] }, 'analyses'],
    [{ analyses: [{ type: 'smell' }] }, 'analyses.0.type'],
    [{ analyses: [{ type: 'quality', source_media: ['other'] }] }, 'analyses.0.source_media.0'],
  ])('a link is refused for %j', async (body, place) => {
    expect(outcome(await ask(client, 'POST', '', body))).toEqual([400, 4, place])
  })

  it('a link is refused for analyses that one medium cannot have', async () => {
    expect((await ask(client, 'POST', '', { analyses: [{ type: 'biometry' }] })).status).toBe(400)
  })
})
