/** Webhooks that tell what becomes of a link to `/capture`. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Client } from '@libsql/client'
import { Webhook } from 'standardwebhooks'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { deliveryAnswer } from '../../../src/contract/answers/accounts.ts'
import { linkEventBody } from '../../../src/contract/answers/capture-links.ts'
import { databaseUrlIn, openServedDatabase } from '../../fixtures/database.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { keepsFolders, startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { idBytes } from '../../fixtures/stored-words.ts'
import { Receiver } from '../../fixtures/webhook-receiver.ts'
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

const account = { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'a password' }

/** The calls of one server. */
const linksOf = (server?: string) => {
  const make = async (user: Signed, body: object) => {
    const asked = { mode: 'photo', ...body }
    const { status, json, text } = await call(user.token, 'POST', '/api/capture_links', asked, server)
    expect(status, text).toBe(201)
    return { id: json.capture_link_id as string, secret: json.url.split('#link=')[1] as string, json }
  }
  return {
    make,
    show: async (user: Signed, id: string) =>
      (await call(user.token, 'GET', `/api/capture_links/${id}`, undefined, server)).json,
    open: (secret: string) => call(secret, 'GET', '/api/capture', undefined, server),
    async send(secret: string, bytes: Uint8Array): Promise<string> {
      const body = form([file('photo_selfie', bytes)], {})
      const { status, json, text } = await upload(secret, '/api/capture', body, server)
      expect(status, text).toBe(201)
      return json.folder_id
    },
    withdraw: (user: Signed, id: string) =>
      call(user.token, 'DELETE', `/api/capture_links/${id}`, undefined, server),
  }
}

describe.skipIf(!keepsFolders)('events of links', () => {
  const receiver = new Receiver()
  const { make, show, open, send, withdraw } = linksOf()
  let admin: Signed
  let client: Signed
  let manager: Signed
  let operator: Signed
  let face: Uint8Array
  let other: Uint8Array

  beforeAll(async () => {
    await receiver.start()
    face = await portrait('smiling')
    other = await portrait('redhead')
    admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'Link events')
    client = await createUser(admin.token, company, 'CLIENT')
    manager = await createUser(admin.token, company, 'CLIENT_ADMIN')
    operator = await createUser(admin.token, null, 'OPERATOR')
  })
  afterAll(() => receiver.stop())

  const address = (name: string) => `${receiver.endpoint}/${name}`
  const told = (name: string) =>
    receiver.at(`/${name}`).map(({ json }) => [json.event, json.folder_id ?? null])
  /** Analyses whose folders wait for a person. */
  const undecided = async () => {
    const { json } = await call(manager.token, 'POST', '/api/collections', { alias: 'Guests' })
    const persons = `/api/collections/${json.collection_id}/persons`
    await upload(manager.token, persons, form([file('photo', face)]))
    const params = { collection_id: json.collection_id, threshold_min: 0, threshold_max: 1 }
    return [{ type: 'collection', params }]
  }
  const logOf = async (
    user: Signed,
    query: string,
  ): Promise<{ items: v.InferOutput<typeof deliveryAnswer>[] }> =>
    (await call(user.token, 'GET', `/api/webhook_deliveries?sorting=time_created{asc}&${query}`)).json
  const decide = (folder: string) =>
    call(operator.token, 'PATCH', `/api/folders/${folder}`, { operator_status: 'DECLINED' })

  it('each change of state is told once, signed, with the link as its author sees it', async () => {
    const { id, secret, json } = await make(client, {
      state_endpoint: address('whole'),
      meta_data: { order: 'A-17' },
    })
    expect(json.state_endpoint).toBe(address('whole'))
    for (let i = 0; i < 2; i++) await open(secret)
    const [opened] = await receiver.expect('/whole')
    const { url: _, qr: __, ...shown } = json
    expect(opened!.json).toEqual({
      event: 'opened',
      folder_id: null,
      capture_link: { ...shown, state: 'opened', time_opened: expect.any(Number) },
    })
    const folder = await send(secret, face)
    await receiver.expect('/whole', 3)
    expect(told('whole').sort()).toEqual([
      ['captured', folder],
      ['decided', null],
      ['opened', null],
    ])
    const path = `/api/companies/${manager.companyId}/webhook_secret`
    const { json: company } = await call(manager.token, 'GET', path)
    const ids = receiver.at('/whole').map(({ headers, body, json: event }) => {
      new Webhook(company.secret).verify(body, headers as Record<string, string>)
      v.parse(linkEventBody, event)
      expect(event.capture_link.capture_link_id).toBe(id)
      expect(body).not.toContain(secret)
      return headers['x-vivace-event-id']
    })
    expect(new Set(ids).size).toBe(3)
    expect(receiver.at('/whole').at(-1)!.json.capture_link).toEqual(await show(client, id))
    // All is told: the link forgets the address.
    expect(await show(client, id)).toMatchObject({ state: 'decided', state_endpoint: null })
    // Analysed again, it was decided before.
    const { json: begun } = await call(client.token, 'POST', `/api/folders/${folder}/analyses`, {
      analyses: [{ type: 'quality' }],
    })
    await finished(client.token, begun[0].analysis_id)
    expect((await call(client.token, 'GET', `/api/webhook_deliveries?folder_id=${folder}`)).status).toBe(403)
    const logged = { capture_link_id: id, attempt: 1, status: 200, error: null, is_last: true }
    expect((await logOf(manager, `folder_id=${folder}`)).items).toMatchObject([
      { ...logged, folder_id: folder, link_state: 'captured', time_retry: null },
    ])
    const { items } = await logOf(manager, `capture_link_id=${id}`)
    expect(items.map(({ link_state, folder_id, url }) => [link_state, folder_id, url]).sort()).toEqual([
      ['captured', folder, null],
      ['decided', null, null],
      ['opened', null, null],
    ])
    const { event_id } = items[0]!
    const repeated = await call(manager.token, 'POST', '/api/webhook_deliveries', {
      ...{ event_id, capture_link_id: id },
    })
    expect([repeated.status, repeated.json.error_code]).toEqual([400, 221])
    expect(receiver.at('/whole')).toHaveLength(3)
  })

  it('of several uses each is told, and the decision once all their folders are decided', async () => {
    const { secret } = await make(client, {
      ...{ uses: 2, state_endpoint: address('uses') },
      analyses: await undecided(),
    })
    const folders = [await send(secret, other), await send(secret, other)]
    await receiver.expect('/uses', 2)
    expect(told('uses').sort()).toEqual(folders.map((id) => ['captured', id]).sort())
    await decide(folders[0]!)
    await decide(folders[1]!)
    await receiver.expect('/uses', 3)
    expect(told('uses').at(-1)).toEqual(['decided', null])
  })

  it('a link that was decided and has uses left is captured and decided again, and withdrawn at last', async () => {
    const { id, secret } = await make(client, { uses: 3, state_endpoint: address('again') })
    const folders = [await send(secret, face), await send(secret, face)]
    await receiver.expect('/again', 4)
    expect((await show(client, id)).state_endpoint).toBe(address('again'))
    for (let i = 0; i < 2; i++) expect((await withdraw(client, id)).status).toBe(204)
    await receiver.expect('/again', 5)
    expect(told('again').sort()).toEqual([
      ...folders.map((folder) => ['captured', folder]).sort(),
      ['decided', null],
      ['decided', null],
      ['withdrawn', null],
    ])
    expect(receiver.at('/again').at(-1)!.json.capture_link).toEqual(await show(client, id))
    expect(await show(client, id)).toMatchObject({ state: 'withdrawn', state_endpoint: null })
  })

  it('a link is told to be decided when the personal data of what waited are removed', async () => {
    const { secret } = await make(client, {
      ...{ state_endpoint: address('cleared') },
      analyses: await undecided(),
    })
    const folder = await send(secret, other)
    await receiver.expect('/cleared')
    expect((await call(admin.token, 'DELETE', `/api/folders/${folder}/pi`)).status).toBeLessThan(300)
    await receiver.expect('/cleared', 2)
    expect(told('cleared')).toEqual([
      ['captured', folder],
      ['decided', null],
    ])
  })

  it('a link is told to be decided when what waited is removed, and the others are decided', async () => {
    const { secret } = await make(client, {
      ...{ uses: 2, state_endpoint: address('removed') },
      analyses: await undecided(),
    })
    const [decided, removed] = [await send(secret, other), await send(secret, other)]
    await decide(decided)
    await receiver.expect('/removed', 2)
    expect((await call(admin.token, 'DELETE', `/api/folders/${removed}`)).status).toBe(204)
    await receiver.expect('/removed', 3)
    expect(told('removed').at(-1)).toEqual(['decided', null])
  })

  it('an event that was not received is sent again, by itself and by hand, as the log tells', async () => {
    const { id, secret } = await make(client, { state_endpoint: address('fails-once/link') })
    await open(secret)
    const log = async () => (await logOf(manager, `capture_link_id=${id}`)).items
    await expect.poll(log).toMatchObject([
      {
        ...{ capture_link_id: id, folder_id: null, link_state: 'opened', attempt: 1, status: 503 },
        ...{ error: 'status_refused', is_last: true, url: address('fails-once/link') },
        time_retry: expect.any(Number),
      },
    ])
    const [first, second] = await receiver.expect('/fails-once/link', 2)
    expect(second!.json).toEqual(first!.json)
    const attempts = [first!, second!].map(({ headers }) => [
      headers['x-vivace-event-id'],
      headers['x-vivace-attempt'],
    ])
    expect(attempts).toEqual([1, 2].map((attempt) => [attempts[0]![0], String(attempt)]))
    await expect.poll(log).toMatchObject([
      { attempt: 1, is_last: false, time_retry: null },
      { attempt: 2, is_last: true, time_retry: null, error: null },
    ])
    const event = { event_id: attempts[0]![0], capture_link_id: id }
    const repeat = (user: Signed) => call(user.token, 'POST', '/api/webhook_deliveries', event)
    expect((await repeat(client)).status).toBe(403)
    const { status, json } = await repeat(manager)
    expect([status, json]).toEqual([201, { ...event, folder_id: null, attempt: 3 }])
    const [, , third] = await receiver.expect('/fails-once/link', 3)
    expect(third!.headers['x-vivace-attempt']).toBe('3')
    expect(third!.json).toEqual(first!.json)
  })

  it('the last event of a link, which forgets its address, is sent again by hand while it waits', async () => {
    const { id } = await make(client, { state_endpoint: address('fails-once/withdrawn') })
    await withdraw(client, id)
    expect((await show(client, id)).state_endpoint).toBeNull()
    const log = async () => (await logOf(manager, `capture_link_id=${id}`)).items
    await expect.poll(log).toMatchObject([{ url: address('fails-once/withdrawn'), attempt: 1, status: 503 }])
    const asked = { event_id: (await log())[0]!.event_id, capture_link_id: id }
    expect((await call(manager.token, 'POST', '/api/webhook_deliveries', asked)).status).toBe(201)
    const [first, second] = await receiver.expect('/fails-once/withdrawn', 2)
    expect(second!.json).toEqual(first!.json)
  })

  it('nothing is told of a link without an address', async () => {
    const { json, secret } = await make(client, { resolution_endpoint: address('folder-only') })
    expect(json.state_endpoint).toBeNull()
    await open(secret)
    const folder_id = await send(secret, face)
    await receiver.expect('/folder-only')
    expect(receiver.at('/folder-only').map(({ json }) => [json.event, json.folder_id])).toEqual([
      [undefined, folder_id],
    ])
  })

  it.each([
    ['relative', '/relative'],
    ['of another scheme', 'ftp://shop.example/'],
    ['with a password', 'https://user:password@shop.example/'],
    ['of a metadata service', 'https://169.254.169.254/latest/'],
    ['too long', `https://shop.example/${'x'.repeat(2048)}`],
    ['empty', ''],
  ])('a link is refused for an address that is %s', async (_, state_endpoint) => {
    const { status, json } = await call(client.token, 'POST', '/api/capture_links', { state_endpoint })
    expect([status, json.error_code, json.details.key_path]).toEqual([400, 4, 'state_endpoint'])
  })

  describe.skipIf(testedRuntime === 'workers')('on a server of their own', () => {
    let folder: string
    let server: TestServer
    let database: Client
    let own: ReturnType<typeof linksOf>
    let owner: Signed
    let remover: Signed

    const start = async (more: object) => {
      server = await startServer({
        ...{ ...account, DATA_DIR: folder, ASSESS_WORKERS: '1' },
        // A round of the clean-up each second.
        ...{ SVC_ANALYSE_ATTEMPT_DELAY: '0', ...more },
      })
      own = linksOf(server.url)
    }

    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'vivace-link-events-'))
      await start({ SVC_WEBHOOK_ALLOW_PRIVATE: 'true' })
      database = openServedDatabase(databaseUrlIn(folder))
      const root = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, server.url)
      const company = await createCompany(root.token, 'Link events', server.url)
      owner = await createUser(root.token, company, 'CLIENT', server.url)
      remover = await createUser(root.token, company, 'CLIENT_ADMIN', server.url)
    })
    afterAll(async () => {
      database?.close()
      await server?.stop()
      await rm(folder, { recursive: true, force: true })
    })

    const endNow = (id: string) =>
      database.execute(`update capture_links set expires_at = ${Date.now()} where id = ${idBytes(id)}`)

    it('the end of its time is told once, of a link with uses left', async () => {
      const { id, secret } = await own.make(owner, { uses: 2, state_endpoint: address('expired') })
      const folder = await own.send(secret, face)
      const full = await own.make(owner, { state_endpoint: address('full') })
      await own.send(full.secret, face)
      await receiver.expect('/expired', 2)
      for (const link of [id, full.id]) await endNow(link)
      const events = await receiver.expect('/expired', 3)
      expect(told('expired').sort()).toEqual([
        ['captured', folder],
        ['decided', null],
        ['expired', null],
      ])
      expect(events.at(-1)!.json.capture_link).toMatchObject({ state: 'expired', uses_left: 1 })
      // Two more rounds.
      await new Promise((resolve) => setTimeout(resolve, 2500))
      expect(told('expired')).toHaveLength(3)
      expect(
        told('full')
          .map(([event]) => event)
          .sort(),
      ).toEqual(['captured', 'decided'])
    })

    it('what is queued goes with the folder that it names', async () => {
      const { secret } = await own.make(owner, { uses: 2, state_endpoint: 'http://127.0.0.1:9/' })
      const queued = async () =>
        (await database.execute('select state from outbox order by state')).rows.map(({ state }) => state)
      const [cleared, removed] = [await own.send(secret, face), await own.send(secret, face)]
      expect(await queued()).toEqual(['captured', 'captured', 'decided', 'decided'])
      await call(remover.token, 'DELETE', `/api/folders/${cleared}/pi`, undefined, server.url)
      await call(remover.token, 'DELETE', `/api/folders/${removed}`, undefined, server.url)
      expect(await queued()).toEqual(['decided', 'decided'])
    })

    it('of a link that was withdrawn nothing is left in the data folder once that is told', async () => {
      const word = `word-${crypto.randomUUID()}`
      const { id } = await own.make(owner, {
        state_endpoint: address(`withdrawn?${word}`),
        meta_data: { word },
        return_url: `https://shop.example/${word}`,
      })
      const isLeft = async () => {
        const entries = await readdir(folder, { recursive: true, withFileTypes: true })
        const files = entries.filter((entry) => entry.isFile())
        const texts = await Promise.all(
          // A file may go meanwhile.
          files.map((entry) => readFile(path.join(entry.parentPath, entry.name), 'latin1').catch(() => '')),
        )
        return texts.some((text) => text.includes(word))
      }
      expect(await isLeft()).toBe(true)
      await own.withdraw(owner, id)
      const [event] = await receiver.expect(`/withdrawn?${word}`)
      expect(event!.json.capture_link).toMatchObject({
        meta_data: {},
        return_url: null,
        state_endpoint: null,
      })
      await expect.poll(isLeft, { timeout: 10_000 }).toBe(false)
    })

    it('private addresses are refused as a server is set by default', async () => {
      await server.stop()
      await start({})
      const inner = ['https://127.0.0.1/', 'https://10.0.0.1/', 'http://example.com/', 'https://localhost/']
      for (const state_endpoint of inner) {
        const body = { state_endpoint }
        const { status, json } = await call(owner.token, 'POST', '/api/capture_links', body, server.url)
        expect([status, json.error_code, json.details.key_path]).toEqual([400, 4, 'state_endpoint'])
      }
    })
  })
})
