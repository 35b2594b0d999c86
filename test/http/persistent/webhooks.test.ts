/** Webhooks end to end: deliveries, retries, the log, and refused addresses. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../../fixtures/portraits.ts'
import { keepsFolders, startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { type Received, Receiver } from '../../fixtures/webhook-receiver.ts'
import { file, form } from '../client.ts'
import {
  call,
  createCompany,
  createUser,
  finished,
  type Signed,
  signIn,
  signInAsAdmin,
  upload,
} from './service.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** There, a server of its own needs a database server of its own. */
const isEdge = testedRuntime === 'workers'

describe.skipIf(!keepsFolders)('webhooks', () => {
  const receiver = new Receiver()
  let client: Signed
  let manager: Signed
  let stranger: Signed
  let operator: Signed
  let photo: Uint8Array
  let again: Uint8Array
  let folder: string
  /** Accepts no private addresses, which is the default. */
  let shipped: TestServer

  beforeAll(async () => {
    await receiver.start()
    photo = await portrait('redhead')
    again = await portrait('redheadAgain')
    const admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'Webhooks')
    client = await createUser(admin.token, company, 'CLIENT')
    manager = await createUser(admin.token, company, 'CLIENT_ADMIN')
    const other = await createCompany(admin.token, 'Webhooks elsewhere')
    stranger = await createUser(admin.token, other, 'CLIENT_ADMIN')
    operator = await createUser(admin.token, null, 'OPERATOR')
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-webhooks-'))
    const common = {
      SVC_ADMIN_EMAIL: 'root@vivace.test',
      SVC_ADMIN_PASSWORD: 'a password',
      ASSESS_WORKERS: '1',
    }
    if (isEdge) return
    shipped = await startServer({ ...common, DATA_DIR: path.join(folder, 'shipped') })
  })

  afterAll(async () => {
    await Promise.all([shipped?.stop(), receiver.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  const fill = async (payload: object | string = {}) => {
    const { json } = await upload(client.token, '/api/folders/', form([file('photo', photo)], payload))
    return json
  }
  const deliveriesOf = async (reader: Signed, folderId: string) => {
    const { status, json } = await call(
      reader.token,
      'GET',
      `/api/webhook_deliveries/?folder_id=${folderId}&sorting=time_created{asc}`,
    )
    return status === 200 ? json.items : status
  }

  it('a webhook is sent for a folder that a single request finished', async () => {
    const payload = {
      resolution_endpoint: `${receiver.endpoint}/single`,
      'folder:meta_data': { order: 17 },
      analyses: [{ type: 'quality' }],
    }
    // A number that no double has.
    const text = JSON.stringify(payload).replace('"order":17', '"order":17,"long":12345678901234567890')
    const json = await fill(text)
    expect(json.resolution_endpoint).toBe(payload.resolution_endpoint)
    const [webhook] = await receiver.expect('/single')
    expect(webhook!.body).toContain('"long": 12345678901234567890')
    expect(webhook!.headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      'x-vivace-event-id': expect.stringMatching(uuid),
      'x-vivace-attempt': '1',
    })
    expect(webhook!.headers['x-vivace-signature']).toBeUndefined()
    expect(webhook!.json).toMatchObject({
      folder_id: json.folder_id,
      resolution_status: 'FINISHED',
      system_resolution: 'SUCCESS',
      meta_data: { order: 17 },
    })
    expect(webhook!.json.analyses).toHaveLength(1)
    expect(webhook!.json.analyses[0].analysis_id).toBe(json.analyses[0].analysis_id)
    expect(json.analyses[0].results_media[0].output_images[0].image_b64).not.toBeNull()
    expect(webhook!.body).not.toContain('image_b64')
  })

  it('one webhook is sent when the last analysis of a folder has ended', async () => {
    const { folder_id } = await fill({ resolution_endpoint: `${receiver.endpoint}/several` })
    await upload(client.token, `/api/folders/${folder_id}/media`, form([file('again', again)]))
    const begun = await call(client.token, 'POST', `/api/folders/${folder_id}/analyses/`, {
      analyses: [
        { type: 'quality' },
        { type: 'biometry', params: { threshold_min: 0.5, threshold_max: 0.5 } },
      ],
    })
    for (const { analysis_id } of begun.json) await finished(client.token, analysis_id)
    const [webhook] = await receiver.expect('/several')
    expect(webhook!.json.resolution_status).toBe('FINISHED')
    const states = webhook!.json.analyses.map((analysis: { state: string }) => analysis.state)
    expect(states).toEqual(['FINISHED', 'FINISHED'])
    expect(receiver.at('/several')).toHaveLength(1)
  })

  it('a webhook tells the decision of an operator on the case', async () => {
    const { folder_id } = await fill({
      resolution_endpoint: `${receiver.endpoint}/decided`,
      analyses: [{ type: 'quality', params: { threshold_spoofing: 0 } }],
    })
    await receiver.expect('/decided')
    const decision = { operator_status: 'SUCCESS', operator_comment: 'seen at the counter' }
    await call(operator.token, 'PATCH', `/api/folders/${folder_id}`, decision)
    await expect.poll(() => receiver.at('/decided').length, { timeout: 20_000 }).toBe(2)
    expect(receiver.at('/decided')[1]!.json).toMatchObject({
      ...{ folder_id, ...decision, resolution_author_id: operator.userId, system_resolution: 'DECLINED' },
      analyses: [{ resolution_operator: 'SUCCESS', resolution_comment: 'seen at the counter' }],
    })
  })

  it('webhooks go to the address given at the start of the analyses', async () => {
    const { folder_id } = await fill()
    const begun = await call(client.token, 'POST', `/api/folders/${folder_id}/analyses/`, {
      resolution_endpoint: `${receiver.endpoint}/start`,
      analyses: [{ type: 'quality' }],
    })
    expect(begun.status).toBe(201)
    const [webhook] = await receiver.expect('/start')
    expect(webhook!.json).toMatchObject({ folder_id, resolution_status: 'FINISHED' })
    expect(webhook!.json.analyses[0].results_media[0].results_data).not.toBeNull()
    const read = await call(client.token, 'GET', `/api/folders/${folder_id}?with_analyses=true`)
    expect(read.json.resolution_endpoint).toBe(`${receiver.endpoint}/start`)
  })

  it('webhooks are retried with the same event id, and the company sees both attempts', async () => {
    const payload = {
      resolution_endpoint: `${receiver.endpoint}/fails-once/x`,
      analyses: [{ type: 'quality' }],
    }
    const { folder_id } = await fill(payload)
    const [first] = await receiver.expect('/fails-once/x')
    const eventId = first!.headers['x-vivace-event-id']
    const [, second] = await receiver.expect('/fails-once/x', 2)
    expect(second!.headers).toMatchObject({ 'x-vivace-event-id': eventId, 'x-vivace-attempt': '2' })
    expect(second!.json).toEqual(first!.json)
    let log: { attempt: number }[] = []
    for (let i = 0; i < 1500 && log.length < 2; i++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      log = await deliveriesOf(manager, folder_id)
    }
    const url = `${receiver.endpoint}/fails-once/x`
    const event = { event_id: eventId, folder_id, capture_link_id: null, url, time_retry: null }
    expect(log).toMatchObject([
      { ...event, attempt: 1, status: 503, error: 'status_refused', is_last: false },
      { ...event, attempt: 2, status: 200, error: null, is_last: true },
    ])
    expect(await deliveriesOf(stranger, folder_id)).toEqual([])
    expect(await deliveriesOf(client, folder_id)).toBe(403)

    const repeat = (by: Signed, change: object = {}) =>
      call(by.token, 'POST', '/api/webhook_deliveries', { event_id: eventId, folder_id, ...change })
    expect((await repeat(client)).status).toBe(403)
    expect((await repeat(stranger)).status).toBe(404)
    expect((await repeat(manager, { event_id: folder_id })).status).toBe(404)
    expect((await repeat(manager, { event_id: 'x' })).json.error_code).toBe(4)
    const { error_code, details } = (await repeat(manager, { folder_id: null })).json
    expect([error_code, details.expected]).toEqual([3, 'the folder_id or capture_link_id of the log'])
    const { status, json } = await repeat(manager)
    expect([status, json]).toEqual([201, { event_id: eventId, folder_id, capture_link_id: null, attempt: 3 }])
    const [, , third] = await receiver.expect('/fails-once/x', 3)
    expect(third!.headers).toMatchObject({ 'x-vivace-event-id': eventId, 'x-vivace-attempt': '3' })
    expect(third!.json).toEqual(first!.json)
    await call(client.token, 'PATCH', `/api/folders/${folder_id}`, { resolution_endpoint: null })
    expect((await repeat(manager)).json.error_code).toBe(221)
    expect((await deliveriesOf(manager, folder_id))[0].url).toBeNull()
  })

  it('webhooks are signed with the company’s secret, which its administrators read and rotate', async () => {
    const path = `/api/companies/${manager.companyId}/webhook_secret`
    const { json: first } = await call(manager.token, 'GET', path)
    expect(first).toMatchObject({ company_id: manager.companyId, previous_signs_until: null })
    expect(first.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const send = async (name: string) => {
      await fill({ resolution_endpoint: `${receiver.endpoint}/${name}`, analyses: [{ type: 'quality' }] })
      const [{ body, headers }] = (await receiver.expect(`/${name}`)) as [Received]
      return (secret: string) => new Webhook(secret).verify(body, headers as Record<string, string>)
    }
    const isBefore = await send('own-secret')
    expect(isBefore(first.secret)).toMatchObject({ resolution_status: 'FINISHED' })
    const foreign = await call(stranger.token, 'GET', `/api/companies/${stranger.companyId}/webhook_secret`)
    expect(() => isBefore(foreign.json.secret)).toThrow(WebhookVerificationError)

    const { status, json: second } = await call(manager.token, 'POST', path)
    expect(status).toBe(200)
    expect(second.secret).not.toBe(first.secret)
    expect(second.previous_signs_until).toBeGreaterThan(Date.now() / 1000 + 86_000)
    const isAfter = await send('new-secret')
    for (const secret of [first.secret, second.secret])
      expect(isAfter(secret)).toMatchObject({ resolution_status: 'FINISHED' })
    expect((await call(client.token, 'GET', path)).status).toBe(403)
    expect((await call(stranger.token, 'GET', path)).status).toBe(404)
  })

  it.skipIf(isEdge)(
    'internal webhook addresses are refused on all routes, and such a call stores nothing',
    async () => {
      const base = shipped.url
      const root = await signIn('root@vivace.test', 'a password', base)
      const company = await createCompany(root.token, 'Shipped', base)
      const { token } = await createUser(root.token, company, 'CLIENT', base)
      const created = await call(token, 'POST', '/api/folders', undefined, base)
      const id = created.json.folder_id
      await upload(token, `/api/folders/${id}/media`, form([file('photo', photo)]), base)
      const addresses = [
        `${receiver.endpoint}/inside`,
        'http://example.com/',
        'https://127.0.0.1/',
        'https://127.1/',
        'https://2130706433/',
        'https://0x7f.0.0.1/',
        'https://0.0.0.0/',
        'https://10.0.0.1/',
        'https://192.168.0.1/',
        'https://169.254.169.254/latest/',
        'https://[::1]/',
        'https://[::ffff:127.0.0.1]/',
        'https://[fd00::1]/',
        'https://[64:ff9b::7f00:1]/',
        'https://localhost/',
        'https://metadata.google.internal/',
        'https://user:password@example.com/',
        'ftp://example.com/',
        '/relative',
        '',
      ]
      for (const resolution_endpoint of addresses) {
        const analyses = [{ type: 'quality' }]
        const answers = [
          await upload(token, '/api/folders', form([], { resolution_endpoint }), base),
          await upload(
            token,
            '/api/folders',
            form([file('a', photo)], { resolution_endpoint, analyses }),
            base,
          ),
          await call(token, 'POST', `/api/folders/${id}/analyses`, { resolution_endpoint, analyses }, base),
          await call(token, 'PATCH', `/api/folders/${id}`, { resolution_endpoint }, base),
        ]
        const outcomes = answers.map(({ status, json }) => [resolution_endpoint, status, json.error_code])
        expect(outcomes).toEqual(answers.map(() => [resolution_endpoint, 400, 4]))
      }
      const { json } = await call(token, 'GET', '/api/folders/?with_analyses=true', undefined, base)
      expect(json.items).toMatchObject([{ folder_id: id, resolution_endpoint: null, analyses: [] }])
      expect(receiver.at('/inside')).toEqual([])
    },
  )
})
