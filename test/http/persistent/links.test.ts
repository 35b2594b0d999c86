/** Links in answers lead to the server by the way that its caller took. */
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../../fixtures/portraits.ts'
import { startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { file, form } from '../client.ts'
import { createCompany, createUser, type Signed, signIn, tokenHeader, upload } from './service.ts'

const email = 'root@vivace.test'
const password = 'a password'

/** A GET with headers that `fetch` does not send. */
const ask = (url: string, headers: Record<string, string>): Promise<{ media: { original_url: string }[] }> =>
  new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())))
    })
      .on('error', reject)
      .end()
  })

describe.skipIf(testedRuntime === 'workers').each([
  {
    name: 'without PUBLIC_URL',
    settings: {},
    /** What a caller gets who used `host`. */
    base: (host: string) => `http://${host}`,
    forwarded: (host: string) => `http://${host}`,
  },
  {
    name: 'without PUBLIC_URL behind a trusted proxy',
    settings: { TRUSTED_PROXIES: '127.0.0.1' },
    base: (host: string) => `http://${host}`,
    forwarded: () => 'https://liveness.example',
  },
  {
    name: 'with PUBLIC_URL',
    settings: { PUBLIC_URL: 'https://faces.example/api/', TRUSTED_PROXIES: '127.0.0.1' },
    base: () => 'https://faces.example/api',
    forwarded: () => 'https://faces.example/api',
  },
])('links in answers $name', ({ settings, base, forwarded }) => {
  let server: TestServer
  let client: Signed
  let folder: string

  beforeAll(async () => {
    server = await startServer({
      SVC_APP_COMPONENTS: 'auth,stateful',
      SVC_ADMIN_EMAIL: email,
      SVC_ADMIN_PASSWORD: password,
      ASSESS_WORKERS: '1',
      ...settings,
    })
    const root = await signIn(email, password, server.url)
    client = await createUser(
      root.token,
      await createCompany(root.token, 'One', server.url),
      'CLIENT',
      server.url,
    )
    const made = await upload(
      client.token,
      '/api/folders/',
      form([file('a', await portrait('redhead'))]),
      server.url,
    )
    folder = `${server.url}/api/folders/${made.json.folder_id}`
  })
  afterAll(() => server.stop())

  const linkFor = async (headers: Record<string, string>): Promise<string> =>
    (await ask(folder, { ...tokenHeader(client.token), ...headers })).media[0]!.original_url
  const ownHost = () => new URL(server.url).host

  it('begin with the address that the caller used', async () => {
    const link = await linkFor({})
    expect(link.startsWith(`${base(ownHost())}/static/`)).toBe(true)
    expect(
      (await fetch(`${server.url}${new URL(link).pathname.replace(/^.*(?=\/static)/, '')}`)).status,
    ).toBe(200)
    const other = await linkFor({ Host: 'vivace.example:8443' })
    expect(other.startsWith(`${base('vivace.example:8443')}/static/`)).toBe(true)
  })

  it('follow what a proxy forwarded, if it is trusted', async () => {
    const link = await linkFor({
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'liveness.example, inner.example',
    })
    expect(link.startsWith(`${forwarded(ownHost())}/static/`)).toBe(true)
  })

  it.each([
    { 'X-Forwarded-Proto': 'javascript', 'X-Forwarded-Host': 'liveness.example/else?' },
    { 'X-Forwarded-Host': 'user@liveness.example' },
    { 'X-Forwarded-Host': '' },
  ])('ignore what is no address: %o', async (headers) => {
    expect((await linkFor(headers)).startsWith(`${base(ownHost())}/static/`)).toBe(true)
  })
})
