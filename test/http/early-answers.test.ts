/** Callers who send everything before they read get the answer that was given early, also if the connection ends with it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { pause } from '../../src/queue/timers.ts'
import { closeSenders, type Head, head, megabyte, Sender, sendAll } from '../fixtures/sender.ts'
import { startServer, type TestServer, testedRuntime } from '../fixtures/server.ts'

const detect = '/v1/face/liveness/detect'

afterEach(closeSenders)

const close = 'Connection: close\r\n'
const connections: [name: string, head: Head][] = [
  ['stays open', {}],
  ['is to be closed', { more: close }],
  ['is to be closed, and that waits for the word to go on', { more: `${close}Expect: 100-continue\r\n` }],
  ['is of HTTP/1.0 and is to be closed', { version: '1.0', more: close }],
]
// Bun closes such a connection at once, and does not tell that it is one.
if (testedRuntime !== 'bun') connections.push(['is of HTTP/1.0', { version: '1.0' }])

/** Workers are behind the servers of their platform. */
const isOurs = testedRuntime !== 'workers'
let server: TestServer

beforeAll(async () => {
  if (!isOurs) return
  server = await startServer({
    SVC_ATTACHMENT_MAX_SIZE: '1',
    BODY_PAUSE_MAX: '2',
    CONNECTIONS_MAX: '32',
    TRUSTED_PROXIES: '127.0.0.1,::1',
    ASSESS_WORKERS: '1',
  })
})
afterAll(() => server?.stop())

describe.runIf(isOurs).each(connections)('on a connection that %s', (_, connection) => {
  it.each([
    ['for want of a token', 401, {}],
    ['for its path', 404, { path: '/nowhere' }],
    ['for its type', 400, { path: detect, type: 'text/plain' }],
    ['for its length', 400, { path: detect, type: 'image/jpeg', length: 2_900_000 }],
  ])('a body that is refused %s is answered %i', async (_, status, asked: Head) => {
    const { answer, error } = await sendAll(server.url, { ...asked, ...connection })
    expect({ error, answer }).toMatchObject({
      error: null,
      answer: expect.stringMatching(/"message"|"error_code"/),
    })
    expect(answer).toMatch(new RegExp(`HTTP/1\\.[01] ${status} `))
  })

  it('a body that is refused because there are too many calls is answered 503', async () => {
    const from = 'X-Forwarded-For: 192.0.2.1\r\n'
    for (let i = 0; i < 8; i++)
      new Sender(server.url, head({ path: detect, type: 'image/jpeg', length: 1000, more: from }))
    await pause(500)
    const { answer, error } = await sendAll(server.url, {
      ...connection,
      more: from + (connection.more ?? ''),
    })
    expect({ error, answer }).toMatchObject({
      error: null,
      answer: expect.stringMatching(/HTTP\/1\.[01] 503 /),
    })
  })
})

describe.runIf(isOurs)('the rest of a refused body', () => {
  it('that came too slowly may still come for a moment, so that the sender reads 408', async () => {
    const sender = new Sender(
      server.url,
      head({ path: '/api/authorize/auth', type: 'application/json', length: 900_000 }),
    )
    await sender.send(1000)
    await pause(3000)
    await sender.send(899_000)
    const answer = await sender.read()
    expect({ error: sender.error, answer }).toMatchObject({
      error: null,
      answer: expect.stringMatching(/HTTP\/1\.[01] 408 /),
    })
  })

  // Deno's server drops it by itself, and so does that of Bun where the connection stays open: without an end, and in no memory.
  const bounded = [
    ...(testedRuntime === 'node' ? [['stays open', '']] : []),
    ...(testedRuntime === 'deno' ? [] : [['is to be closed', close]]),
  ]
  it.runIf(bounded.length > 0).each(bounded)(
    'on a connection that %s is read to three times the largest medium, and no longer than a pause',
    async (_, more) => {
      const endless = new Sender(server.url, head({ length: 1000 * megabyte, more }))
      await endless.send(1000 * megabyte)
      expect(endless.isClosed).toBe(true)
      // And what the system buffers on both sides.
      expect(endless.sent).toBeGreaterThan(3 * megabyte)
      expect(endless.sent).toBeLessThan(30 * megabyte)
      const silent = new Sender(server.url, head({ more }))
      await silent.send(1000)
      const begunMs = performance.now()
      await silent.read()
      while (!silent.isClosed && performance.now() - begunMs < 30_000) await pause(100)
      expect(performance.now() - begunMs).toBeLessThan(15_000)
    },
  )
})
