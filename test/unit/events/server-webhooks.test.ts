import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDeliver, type PinnedPost } from '../../../src/events/deliver.ts'
import { newWebhookSecret } from '../../../src/events/webhook-signature.ts'
import { openResolver } from '../../../src/platform/server-names.ts'
import { postPinned } from '../../../src/platform/server-webhooks.ts'

/** A name that never resolves (RFC 2606), so a request that arrives used the pinned address. */
const unknownHost = 'hooks.example.invalid'
const secret = newWebhookSecret((length) => crypto.getRandomValues(new Uint8Array(length)))

interface Received {
  method: string | undefined
  path: string | undefined
  headers: http.IncomingHttpHeaders
  body: string
}

const received: Received[] = []
let redirectsFollowed = 0
let endlessClosed: Promise<void>

function answer(req: http.IncomingMessage, res: http.ServerResponse): void {
  if (req.url === '/hang') return
  if (req.url === '/followed') redirectsFollowed++
  if (req.url === '/endless') {
    res.write('x')
    const more = setInterval(() => res.write('x'.repeat(1000)), 10)
    endlessClosed = new Promise((resolve) => res.on('close', () => resolve(clearInterval(more))))
    return
  }
  res.writeHead(req.url === '/moved' ? 307 : 204, req.url === '/moved' ? { Location: '/followed' } : {}).end()
}

const server = http.createServer(async (req, res) => {
  let body = ''
  for await (const chunk of req.setEncoding('utf8')) body += chunk
  received.push({ method: req.method, path: req.url, headers: req.headers, body })
  answer(req, res)
})
const portOf = (listening: net.Server) => (listening.address() as AddressInfo).port

const post = (path: string, options: Partial<PinnedPost> = {}) =>
  postPinned({
    url: new URL(`http://${unknownHost}:${portOf(server)}${path}`),
    addresses: ['127.0.0.1'],
    headers: { 'X-Vivace-Event-Id': 'event-1' },
    body: '{"name": "ü"}',
    timeoutMs: 5000,
    ...options,
  })

const delivered = (url: string, allowPrivate: boolean) =>
  createDeliver({
    rulesFor: () => ({ resolveHost: openResolver(), allowPrivate }),
    post: postPinned,
    nowMs: Date.now,
    timeoutMs: 5000,
  })({ id: 'event-2', tenant: '', url, body: '{"b": 2}', attempt: 1, secrets: [secret] })

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe('sending a webhook', () => {
  it('a webhook goes to the checked address, whatever its name resolves to', async () => {
    expect(await post('/in?x=1')).toEqual({ status: 204 })
    expect(received.at(-1)).toMatchObject({
      method: 'POST',
      path: '/in?x=1',
      body: '{"name": "ü"}',
      headers: {
        host: `${unknownHost}:${portOf(server)}`,
        'x-vivace-event-id': 'event-1',
        'content-length': '14',
      },
    })
  })

  it('a webhook goes to no other address than the checked one', async () => {
    const url = new URL(`http://localhost:${portOf(server)}/in`)
    const before = received.length
    expect(await post('', { url, addresses: ['127.0.0.2'] })).toEqual({ failure: 'connection_failed' })
    expect(received).toHaveLength(before)
  })

  it('a webhook follows no redirect', async () => {
    expect(await post('/moved')).toEqual({ status: 307 })
    expect(redirectsFollowed).toBe(0)
  })

  it('a webhook is given up without an answer in time', async () => {
    expect(await post('/hang', { timeoutMs: 50 })).toEqual({ failure: 'timed_out' })
  })

  it('a webhook does not wait for the response body, and closes the connection', async () => {
    expect(await post('/endless')).toEqual({ status: 200 })
    await endlessClosed
  })

  it('a webhook fails if nothing listens', async () => {
    const url = new URL(`http://${unknownHost}:1/`)
    expect(await post('', { url })).toEqual({ failure: 'connection_failed' })
  })

  it('a webhook fails if the receiver does not speak HTTPS', async () => {
    const url = new URL(`https://${unknownHost}:${portOf(server)}/`)
    expect(await post('', { url })).toEqual({ failure: 'tls_failed' })
  })

  it('a webhook fails if the response is not HTTP', async () => {
    const talker = net.createServer((socket) => socket.on('error', () => {}).end('hello\r\n\r\n'))
    await new Promise<void>((resolve) => talker.listen(0, '127.0.0.1', resolve))
    const url = new URL(`http://${unknownHost}:${portOf(talker)}/`)
    expect(await post('', { url })).toEqual({ failure: 'connection_failed' })
    talker.close()
  })

  it('a webhook arrives signed, checked and resolved by the real resolver', async () => {
    const url = `http://localhost:${portOf(server)}/signed`
    expect(await delivered(url, true)).toEqual({ ok: true, status: 204 })
    const { body, headers } = received.at(-1)!
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({ b: 2 })
  })

  it('a webhook to this machine is refused unless the test setting allows it', async () => {
    const url = `https://127.0.0.1:${portOf(server)}/`
    expect(await delivered(url, false)).toEqual({ ok: false, status: null, reason: 'address_refused' })
  })
})
