/** Event sessions of apps and settings for device models (F10, F197, F293), on a database file and on a libSQL server. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseUrlIn, openServedDatabase } from '../../fixtures/database.ts'
import { hasLibsqlServer, type LibsqlServer, startLibsqlServer } from '../../fixtures/libsql-server.ts'
import { startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { type Answer, send } from '../client.ts'
import { call, createCompany, createUser, type Signed, signIn, tokenHeader } from './service.ts'

const account = { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'a password' }
const common = { ...account, ASSESS_WORKERS: '1', SVC_ANALYSE_ATTEMPT_DELAY: '0' }
const dayMs = 24 * 3600_000

const databases = ['a database file', 'a libSQL server'] as const
const events = [
  { event: 'liveness_check_start', timestamp: 1_700_000_000.5, context: { action: 'smile' } },
  { event: 'an event of a later SDK', action_session_id: 'a-1', deep: { list: [1, null, 'x'] } },
]

describe.skipIf(testedRuntime === 'workers').each(databases)('telemetry in %s', (kind) => {
  const isRemote = kind === 'a libSQL server'
  let remote: LibsqlServer | undefined
  let folder: string
  let databaseUrl: string
  let server: TestServer
  let admin: Signed
  let manager: Signed
  let client: Signed
  let other: Signed
  let stranger: Signed
  let strangeManager: Signed

  const skip = isRemote && !hasLibsqlServer
  beforeAll(async () => {
    if (skip) return
    if (isRemote) remote = await startLibsqlServer()
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-telemetry-'))
    databaseUrl = remote?.url ?? databaseUrlIn(folder)
    server = await startServer({ ...common, DATABASE_URL: databaseUrl, DATA_DIR: folder })
    const base = server.url
    admin = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, base)
    const company = await createCompany(admin.token, 'Apps', base)
    manager = await createUser(admin.token, company, 'CLIENT_ADMIN', base)
    client = await createUser(admin.token, company, 'CLIENT', base)
    other = await createUser(admin.token, company, 'CLIENT', base)
    const elsewhere = await createCompany(admin.token, 'Apps elsewhere', base)
    stranger = await createUser(admin.token, elsewhere, 'CLIENT', base)
    strangeManager = await createUser(admin.token, elsewhere, 'CLIENT_ADMIN', base)
  })

  afterAll(async () => {
    await server?.stop()
    await remote?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  const ask = (user: Signed | null, method: string, target: string, body?: unknown): Promise<Answer> =>
    call(user?.token ?? null, method, `/api/${target}`, body, server.url)
  const report = (body: object, user = client) => ask(user, 'POST', 'event_sessions', body)
  const refusal = async (body: object, user = client) => {
    const { status, json } = await report(body, user)
    return [status, json.error_code, json.error_details?.key_path]
  }
  const listed = async (query: string, user = manager): Promise<string[]> => {
    const { json } = await ask(user, 'GET', `event_sessions?${query}`)
    return json.items.map(({ session_id }: Answer['json']) => session_id)
  }

  it.skipIf(skip)('F197: sessions hold what apps report, and their companies read it', async () => {
    const device = { model: 'SM-A515F', os: 'Android 13', sdk: '8.15.0' }
    const made = await report({ device, events })
    expect([made.status, made.json]).toEqual([
      201,
      {
        event_session_id: made.json.session_id,
        session_id: expect.any(String),
        company_id: client.companyId,
        user_id: client.userId,
        device,
        records_count: 2,
        time_created: expect.any(Number),
        time_updated: expect.any(Number),
      },
    ])
    const { session_id } = made.json
    const more = await report({ session_id: session_id.toUpperCase(), events: [{ event: 'error' }] })
    expect([more.status, more.json.session_id, more.json.records_count]).toEqual([201, session_id, 3])
    expect(more.json.device).toEqual(device)

    const shown = await ask(manager, 'GET', `event_sessions/${session_id}/`)
    expect([shown.status, shown.json]).toEqual([200, more.json])
    const records = await ask(manager, 'GET', `event_sessions/${session_id}/records?sorting=timemark{desc}`)
    expect(records.json).toMatchObject({ offset: 0, limit: 100, total_count: 3 })
    expect(records.json.items[0]).toEqual({
      session_id,
      event: 'liveness_check_start',
      timemark: 1_700_000_000.5,
      time_created: made.json.time_created,
      record: events[0],
    })
    // An event that this release does not know is kept as it is.
    const named = await ask(
      manager,
      'GET',
      `event_sessions/${session_id}/records?event.exclude=error&event.exclude=liveness_check_start`,
    )
    expect(named.json.items.map(({ record }: Answer['json']) => record)).toEqual([events[1]])
    expect(
      (await ask(manager, 'GET', `event_sessions/${session_id}/records?timemark.min=1700000001`)).json.items,
    ).toEqual([])
  })

  it.skipIf(skip)(
    'whole numbers beyond 2^53 that apps report or administrators set keep their digits',
    async () => {
      const long = '12345678901234567890'
      const write = (user: Signed, target: string, body: string) =>
        send(`/api/${target}`, { method: 'POST', headers: tokenHeader(user.token), body }, server.url)
      const event = `{"event": "step", "id": ${long}}`
      const made = await write(client, 'event_sessions', `{"device": {"id": ${long}}, "events": [${event}]}`)
      const records = await ask(manager, 'GET', `event_sessions/${made.json.session_id}/records`)
      const set = await write(admin, 'device_settings', `{"model": "Long", "settings": {"id": ${long}}}`)
      const read = await ask(null, 'GET', 'device_settings?model=long')
      for (const { text } of [made, set, read]) expect(text).toContain(`{"id": ${long}}`)
      expect(records.text).toContain(event)
      await ask(admin, 'DELETE', 'device_settings?model=Long')
    },
  )

  it.skipIf(skip)('F197: sessions are listed by every filter, and unknown filters are refused', async () => {
    const own: string[] = []
    const times: number[] = []
    for (let i = 0; i < 3; i++) {
      const { json } = await report({ events: [{ event: `step ${i}` }] }, stranger)
      own.push(json.session_id)
      times.push(json.time_created)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await report({ session_id: own[0], events: [{ event: 'late' }] }, stranger)
    const by = (query: string) => listed(query, strangeManager)
    expect(await by('')).toEqual([...own].reverse())
    expect(await by('sorting=time_created{asc}')).toEqual(own)
    expect(await by('sorting=time_updated')).toEqual([own[0], own[2], own[1]])
    expect(await by('sorting=time_created{asc}&offset=1&limit=1')).toEqual([own[1]])
    expect(await by(`session_id=${own[0]},${own[2]}&sorting=time_created{asc}`)).toEqual([own[0], own[2]])
    expect(await by(`session_id.exclude=${own[0]}&sorting=time_created{asc}`)).toEqual([own[1], own[2]])
    expect(await by(`time_created=${times[1]}`)).toEqual([own[1]])
    expect(await by(`time_created.min=${times[1]}&time_created.max=${times[1]}`)).toEqual([own[1]])
    expect(await by(`time_updated.max=${times[2]}&sorting=time_created{asc}`)).toEqual([own[1], own[2]])
    expect(await by(`time_updated.min=${times[2]! + 0.001}`)).toEqual([own[0]])
    expect(await by(`company_id=${client.companyId}`)).toEqual([])
    const { json } = await ask(strangeManager, 'GET', 'event_sessions?total_omit=true&limit=-1')
    expect([json.total_count, json.limit, json.items.length]).toEqual([null, -1, 3])
    const unknown = await ask(manager, 'GET', 'event_sessions?sesion_id=1')
    expect([unknown.status, unknown.json.error_code, unknown.json.error_message]).toEqual([
      400,
      4,
      "Unknown param 'sesion_id'; did you mean 'session_id'?",
    ])
    expect((await ask(manager, 'GET', 'event_sessions?time_created.min=soon')).json.error_code).toBe(5)
    expect(
      (await ask(admin, 'GET', `event_sessions?company_id=${stranger.companyId}`)).json.total_count,
    ).toBe(3)
  })

  it.skipIf(skip)('F10: sessions of others are neither shown nor extended', async () => {
    const { session_id } = (await report({})).json
    const path = `event_sessions/${session_id}`
    expect((await ask(client, 'GET', path)).status).toBe(403)
    expect((await ask(strangeManager, 'GET', path)).status).toBe(404)
    expect((await ask(strangeManager, 'GET', `${path}/records`)).status).toBe(404)
    expect((await ask(manager, 'GET', 'event_sessions/none')).status).toBe(404)
    for (const user of [stranger, other])
      expect(await refusal({ session_id, events }, user)).toEqual([404, 10, undefined])
    expect((await refusal({ company_id: stranger.companyId }))[0]).toBe(403)
    const none = '00000000-0000-4000-8000-000000000000'
    expect(await refusal({ company_id: none }, admin)).toEqual([400, 4, 'company_id'])
    const made = await report({ company_id: stranger.companyId, events }, admin)
    expect([made.status, made.json.company_id]).toEqual([201, stranger.companyId])
    expect((await ask(manager, 'GET', path)).json.records_count).toBe(0)
  })

  it.skipIf(skip)('F10: telemetry holds no pictures, no names, and nothing endless', async () => {
    const event = (member: object) => ({ events: [{ event: 'step', ...member }] })
    expect(await refusal(event({ context: { First_Name: 'Ada' } }))).toEqual([
      400,
      4,
      'events.0.context.First_Name',
    ])
    expect(await refusal({ device: { deviceName: 'Ada’s phone' } })).toEqual([400, 4, 'device.deviceName'])
    const bytes = Buffer.alloc(300, 'a picture').toString('base64')
    expect(await refusal(event({ shot: bytes }))).toEqual([400, 4, 'events.0.shot'])
    expect(await refusal(event({ context: ['data:image/png;base64,AAAA'] }))).toEqual([
      400,
      4,
      'events.0.context.0',
    ])
    expect(await refusal(event({ text: 'word '.repeat(300) }))).toEqual([400, 4, 'events.0.text'])
    const values = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`key ${i}`, 'value']))
    expect(await refusal(event(values))).toEqual([400, 4, 'events.0'])
    expect(await refusal({ device: { ...values, more: values } })).toEqual([400, 4, 'device'])
    expect(await refusal({ events: Array(501).fill({ event: 'step' }) })).toEqual([400, 4, 'events'])
    expect(await refusal({ events: [{ event: '' }] })).toEqual([400, 4, 'events.0.event'])
    expect(await refusal({ events: [{}] })).toEqual([400, 3, 'events.0.event'])
    expect(await refusal({ events: [{ event: 'step', timestamp: 'now' }] })).toEqual([
      400,
      5,
      'events.0.timestamp',
    ])
    expect(await refusal({ events: [{ event: 'step', timestamp: 1e300 }] })).toEqual([
      400,
      4,
      'events.0.timestamp',
    ])
    expect(await refusal({ events: 'step' })).toEqual([400, 5, 'events'])
    expect(await refusal({ session_id: 'ada' })).toEqual([400, 4, 'session_id'])
    const long = Array.from({ length: 100 }, () => ({
      event: 'step',
      text: 'word '.repeat(200),
      more: 'word '.repeat(400),
    }))
    expect((await refusal({ events: long }))[1]).toBe(14)
    const { session_id } = (await report({})).json
    const many = Array(500).fill({ event: 'step' })
    for (let i = 0; i < 10; i++) expect((await report({ session_id, events: many })).status).toBe(201)
    expect(await refusal({ session_id, events: [{ event: 'step' }] })).toEqual([400, 221, undefined])
    expect((await ask(manager, 'GET', `event_sessions/${session_id}`)).json.records_count).toBe(5000)
  })

  it.skipIf(skip)('F10: sessions are removed when they are old, and with their company', async () => {
    const { session_id } = (await report({ events })).json
    const company = await createCompany(admin.token, 'Gone', server.url)
    const gone = await report({ company_id: company, events }, admin)
    const database = openServedDatabase(databaseUrl)
    const left = async () => {
      const ids = [session_id, gone.json.session_id].map(
        (id: string) => `'${id.replaceAll('-', '').toUpperCase()}'`,
      )
      const { rows } = await database.execute(
        `select (select count(*) from event_sessions where hex(id) in (${ids})) + (select count(*) from session_events where hex(session_id) in (${ids})) as n`,
      )
      return Number(rows[0]!.n)
    }
    expect(await left()).toBe(6)
    const hex = session_id.replaceAll('-', '')
    const at = Date.now() - 91 * dayMs
    await database.execute({
      sql: `update event_sessions set created_at = ? where hex(id) = upper('${hex}')`,
      args: [at],
    })
    await ask(admin, 'DELETE', `companies/${company}`)
    for (let i = 0; i < 750 && (await left()) > 0; i++)
      await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await left()).toBe(0)
    expect((await listed('limit=1')).length).toBe(1)
    database.close()
  })

  it.skipIf(skip)('F10: settings of a device model are public, and administrators write them', async () => {
    const settings = async (model: string) => {
      const { status, json } = await ask(null, 'GET', `device_settings?model=${encodeURIComponent(model)}`)
      expect(status).toBe(200)
      return json
    }
    const set = (model: unknown, values: unknown, user = admin) =>
      ask(user, 'POST', 'device_settings', { model, settings: values })
    expect(await settings('SM-A515F')).toEqual({ model: 'SM-A515F', settings: {}, patterns: [] })
    const made = await set('*', { frames: 30, flash: false })
    expect([made.status, made.json]).toEqual([
      201,
      {
        model: '*',
        settings: { frames: 30, flash: false },
        time_created: expect.any(Number),
        time_updated: expect.any(Number),
      },
    ])
    await set('SM-A5*', { flash: true })
    await set('SM-A515F', { frames: 20, zoom: { max: 2 } })
    await set('iPhone14,2', { frames: 60 })
    expect(await settings('sm-a515f')).toEqual({
      model: 'sm-a515f',
      settings: { frames: 20, flash: true, zoom: { max: 2 } },
      patterns: ['*', 'SM-A5*', 'SM-A515F'],
    })
    expect((await settings('iPhone14,2')).settings).toEqual({ frames: 60, flash: false })
    expect((await settings('SM-A516B')).settings).toEqual({ frames: 30, flash: true })
    expect((await set('sm-a5*', { flash: null })).json.time_created).toBeLessThan(Date.now() / 1000)
    expect((await settings('SM-A516B')).settings).toEqual({ frames: 30, flash: null })

    const all = await ask(null, 'GET', 'device_settings?sorting=model{asc}&limit=2')
    expect(all.json).toMatchObject({ limit: 2, total_count: 4, items: [{ model: '*' }, {}] })
    expect((await ask(null, 'GET', 'device_settings?modl=x')).json.error_code).toBe(4)
    expect((await ask(null, 'GET', 'device_settings?model=')).json.error_code).toBe(4)

    for (const model of ['', ' ', 'A*5', 'a\u0000b', 'x'.repeat(101)])
      expect((await set(model, {})).json.error_code).toBe(4)
    expect((await set(7, {})).json.error_code).toBe(5)
    expect((await set('SM', [])).json.error_code).toBe(5)
    expect((await ask(admin, 'POST', 'device_settings', { model: 'SM' })).json.error_code).toBe(3)
    expect((await set('SM', { text: 'x'.repeat(20_000) })).json.error_code).toBe(4)
    expect((await set('SM', {}, manager)).status).toBe(403)
    const remove = (user: Signed | null) => ask(user, 'DELETE', 'device_settings?model=SM-A5*')
    expect((await remove(manager)).status).toBe(403)
    expect((await remove(null)).status).toBe(401)
    expect([(await remove(admin)).status, (await remove(admin)).status]).toEqual([204, 404])
    expect((await settings('SM-A516B')).settings).toEqual({ frames: 30, flash: false })
  })
})

describe.skipIf(testedRuntime === 'workers')('the rate of telemetry', () => {
  it('F10: reports are limited per user, and requests for settings per address', async () => {
    const server = await startServer({ ...common, SVC_THROTTLING_RATES: 'telemetry=3/600' })
    const admin = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, server.url)
    const company = await createCompany(admin.token, 'Busy', server.url)
    const busy = await createUser(admin.token, company, 'CLIENT', server.url)
    const calm = await createUser(admin.token, company, 'CLIENT', server.url)
    const report = async ({ token }: Signed) => {
      const { status, json, headers } = await call(token, 'POST', '/api/event_sessions', {}, server.url)
      return [status, json.error_code ?? null, Number(headers.get('Retry-After')) > 0]
    }
    for (let i = 0; i < 3; i++) expect(await report(busy)).toEqual([201, null, false])
    expect(await report(busy)).toEqual([429, 101, true])
    expect(await report(calm)).toEqual([201, null, false])
    const statuses: number[] = []
    for (let i = 0; i < 4; i++)
      statuses.push((await call(null, 'GET', '/api/device_settings?model=x', undefined, server.url)).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    await server.stop()
  })
})
