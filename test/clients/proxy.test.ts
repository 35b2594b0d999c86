/** A proxy in front of the service: one account for all, a session that is refreshed in time, folders found by transaction. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { type Credentials, client, newClient, tokenHeader } from './stage.ts'
import { type Answer, exchange, fieldPart, filePart, formOf } from './wire.ts'

interface Session {
  access_token: string
  expire_token: string
  expireDateMs: number
}

/** Remaining milliseconds at which a session is refreshed. */
const marginMs = 60_000

/** Keeps one session, and counts its requests by path. */
class ClientProxy {
  readonly asked: string[] = []
  /** Milliseconds by which the proxy's clock is ahead. */
  aheadMs = 0
  readonly #credentials: Credentials
  #session: Session | null = null

  constructor(credentials: Credentials) {
    this.#credentials = credentials
  }

  get session(): Session {
    if (!this.#session) throw new Error('nobody is signed in')
    return this.#session
  }

  async #open(path: string, headers: Record<string, string>, body: object): Promise<void> {
    this.asked.push(path)
    const { status, json, text } = await exchange('POST', path, {
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (status !== 200) throw new Error(text)
    const { access_token, expire_token, expire_date } = json
    this.#session = { access_token, expire_token, expireDateMs: expire_date * 1000 }
  }

  /** Signs in once and refreshes in time. Without a known end it would sign in for each call. */
  async token(): Promise<string> {
    const session = this.#session
    if (!session || Number.isNaN(session.expireDateMs)) {
      await this.#open('/api/authorize/auth', {}, { credentials: this.#credentials })
    } else if (session.expireDateMs - (Date.now() + this.aheadMs) < marginMs) {
      const { access_token, expire_token } = session
      await this.#open('/api/authorize/refresh', tokenHeader(access_token), { expire_token })
    }
    return this.session.access_token
  }

  async send(method: string, path: string, headers = {}, body?: string | Uint8Array): Promise<Answer> {
    const token = await this.token()
    return exchange(method, path, {
      headers: { ...headers, ...tokenHeader(token) },
      ...(body === undefined ? {} : { body }),
    })
  }
}

client('the proxy', () => {
  let credentials: Credentials
  let selfie: Uint8Array

  beforeAll(async () => {
    credentials = await newClient('Proxy', 'CLIENT_SERVICE')
    selfie = await portrait('redhead')
  })

  const forward = async (proxy: ClientProxy, transaction: string): Promise<string> => {
    const payload = {
      'folder:meta_data': { transaction_id: transaction },
      'media:tags': { video_selfie: ['photo_selfie'] },
      analyses: [{ type: 'quality' }],
    }
    const parts = [filePart('video_selfie', 'a.jpg', selfie), fieldPart('payload', JSON.stringify(payload))]
    const { headers, body } = formOf(parts, '--------------------------proxy')
    const { status, json } = await proxy.send('POST', '/api/folders/', headers, body)
    expect(status).toBe(201)
    return json.folder_id
  }

  it('the proxy signs in once and reads the end of the session in seconds', async () => {
    const proxy = new ClientProxy(credentials)
    for (let i = 0; i < 3; i++) expect((await proxy.send('GET', '/api/folders/')).status).toBe(200)
    expect(proxy.asked).toEqual(['/api/authorize/auth'])
    expect(proxy.session.expireDateMs).toBeGreaterThan(Date.now() + marginMs)
  })

  it('the proxy refreshes the session before it ends, repeatedly', async () => {
    const proxy = new ClientProxy(await newClient('Proxy of a person'))
    await proxy.token()
    const first = proxy.session
    // A person's session lasts a quarter of an hour; the proxy refreshes it shortly before its end.
    proxy.aheadMs = first.expireDateMs - Date.now() - marginMs / 2
    expect((await proxy.send('GET', '/api/folders/')).status).toBe(200)
    const second = proxy.session
    expect(proxy.asked).toEqual(['/api/authorize/auth', '/api/authorize/refresh'])
    expect(second.access_token).not.toBe(first.access_token)
    expect(second.expireDateMs).toBeGreaterThanOrEqual(first.expireDateMs)
    expect((await proxy.send('GET', '/api/folders/')).status).toBe(200)
    expect(proxy.asked.at(-1)).toBe('/api/authorize/refresh')

    const old = await exchange('GET', '/api/folders/', { headers: tokenHeader(first.access_token) })
    expect([old.status, old.json.error_code]).toEqual([401, 7])
  })

  it('the proxy finds folders of a transaction since a time in milliseconds, with unencoded operators', async () => {
    const proxy = new ClientProxy(credentials)
    const transaction = randomUUID()
    const since = Date.now() - 1000
    const ids = [await forward(proxy, transaction), await forward(proxy, transaction)]
    await forward(proxy, randomUUID())
    const query = (from: number) =>
      `/api/folders/?meta_data=transaction_id==${transaction}&with_analyses=true&time_created.min=${from}`
    const { status, json } = await proxy.send('GET', query(since))
    expect(status).toBe(200)
    expect(Object.keys(json)).toEqual(['offset', 'limit', 'total_count', 'items'])
    expect(json.items.map(({ folder_id }: { folder_id: string }) => folder_id)).toEqual(ids.toReversed())
    for (const { analyses, meta_data } of json.items) {
      expect(meta_data).toEqual({ transaction_id: transaction })
      expect(analyses[0]).toMatchObject({ type: 'QUALITY', resolution: 'SUCCESS' })
    }
    expect((await proxy.send('GET', query(Date.now() + 60_000))).json.items).toEqual([])
  })
})
