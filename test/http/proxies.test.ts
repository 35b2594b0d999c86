/** Uploads that are refused early, through the proxies of the distribution (nginx-light, haproxy): callers get the answer. */
import { once } from 'node:events'
import http, { Agent } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { hasProxy, type ProxyName, startProxy, type TestProxy, type Ways } from '../fixtures/proxies.ts'
import { closeSenders, type Head, megabyte, sendAll } from '../fixtures/sender.ts'
import { startServer, type TestServer, testedRuntime } from '../fixtures/server.ts'
import { postBytes } from './client.ts'

/** Each as its documentation shows it first. */
const ways: Record<ProxyName, Ways> = {
  nginx: {
    default: '',
    'without buffering': 'proxy_request_buffering off; proxy_http_version 1.1;',
    'with connections that stay open': 'proxy_http_version 1.1; proxy_set_header Connection "";',
  },
  haproxy: {
    default: '',
    'with connections that are closed': 'option httpclose',
    'with server connections that are closed':
      'option http-server-close\n  http-request set-header Connection close',
    'with bodies that it waits for': 'option http-buffer-request',
  },
}

const refusals: [name: string, status: number, asked: Head][] = [
  ['for want of a token', 401, {}],
  ['for its path', 404, { path: '/nowhere' }],
  ['for its length', 400, { path: '/v1/face/liveness/detect', type: 'image/jpeg' }],
]
const times = 6

/** The status of a call for a session token; `fetch` sets no host. */
async function request(base: string, headers: Record<string, string>): Promise<number | undefined> {
  const agent = new Agent({ keepAlive: true })
  const sent = http.request(`${base}/api/authorize/session_token`, { method: 'POST', agent, headers }).end()
  const [answer] = (await once(sent, 'response')) as [http.IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  agent.destroy()
  return answer.statusCode
}

let server: TestServer

beforeAll(async () => {
  if (testedRuntime === 'workers') return
  server = await startServer({ SVC_ATTACHMENT_MAX_SIZE: '2', ASSESS_WORKERS: '1' })
})
afterAll(() => server?.stop())
afterEach(closeSenders)

/** Workers are behind the servers of their platform. */
describe.runIf(testedRuntime !== 'workers').each(['nginx', 'haproxy'] as const)('through %s', (name) => {
  describe.skipIf(!hasProxy(name))('which is installed', () => {
    let proxy: TestProxy

    beforeAll(async () => {
      proxy = await startProxy(name, server.url, ways[name])
    })
    afterAll(() => proxy?.close())

    describe.each(Object.keys(ways[name]))('%s', (way) => {
      it.each(refusals)('a body that is refused %s is answered %i each time', async (_, status, asked) => {
        for (let i = 0; i < times; i++) {
          const { answer, error } = await sendAll(proxy.urls[way]!, { length: 4 * megabyte, ...asked })
          expect({ error, answer }).toMatchObject({
            error: null,
            answer: expect.stringMatching(new RegExp(`^HTTP/1\\.1 ${status} `)),
          })
        }
      })

      it('a program that pretends to be a page on this machine is asked for a token', async () => {
        const asked = (base: string) =>
          request(base, {
            Host: new URL(server.url).host,
            Origin: server.url,
            'Sec-Fetch-Site': 'same-origin',
          })
        expect(await asked(proxy.urls[way]!)).toBe(401)
        // Whoever is on it can pretend.
        expect(await asked(server.url)).toBe(200)
      })
    })
  })
})

/** It buffers bodies, speaks HTTP/1.0 to the server, and takes 1 MB. */
describe.runIf(testedRuntime !== 'workers' && hasProxy('nginx'))('nginx as it is installed', () => {
  let proxy: TestProxy
  const detect = (body: Uint8Array, base: string) =>
    postBytes('/v1/face/liveness/detect', body, 'image/jpeg', {}, base)

  beforeAll(async () => {
    proxy = await startProxy('nginx', server.url, { installed: 'client_max_body_size 1m;' })
  })
  afterAll(() => proxy?.close())

  it('passes a photo on', async () => {
    const { status, json } = await detect(await portrait('redhead'), proxy.urls.installed!)
    expect([status, json.passed]).toEqual([200, true])
  })

  it('refuses by itself what the server would take, so its limit must be raised', async () => {
    const photo = new Uint8Array(1.5 * megabyte)
    photo.set(await portrait('redhead'))
    expect((await detect(photo, server.url)).status).toBe(200)
    const { status, headers, text } = await detect(photo, proxy.urls.installed!)
    expect([status, headers.get('Server')]).toEqual([413, expect.stringMatching(/^nginx/)])
    expect(text).toContain('Request Entity Too Large')
  })
})
