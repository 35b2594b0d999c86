/** Calls give back what they hold, also on a runtime that ends requests without their `finally`. */
import { Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { asAppError, errorAnswer } from '../../../src/contract/error-table.ts'
import { AppError } from '../../../src/errors.ts'
import type { AppEnv, Deps } from '../../../src/http/app-env.ts'
import { readBody } from '../../../src/http/body.ts'
import { boundCalls } from '../../../src/http/middleware/bound-calls.ts'
import { replyError } from '../../../src/http/reply.ts'
import { readSettings } from '../../../src/settings.ts'

function serve(runtime: 'workers' | 'node', limits: Record<string, string> = {}) {
  const clock = { nowMs: 0 }
  const platform = {
    runtime,
    memoryBytes: 2 ** 27,
    monotonicMs: () => clock.nowMs,
    readsAfterAnswer: false,
  }
  const settings = readSettings({
    CONNECTIONS_MAX: '2',
    CONNECTIONS_PER_ADDRESS_MAX: '4',
    SVC_ATTACHMENT_MAX_SIZE: '3',
    BODY_MEMORY_MAX: '15',
    ...limits,
  })
  const app = new Hono<AppEnv>()
    .use(boundCalls({ platform, settings } as unknown as Deps))
    .post('/', async (c) => c.text(String((await readBody(c.var.incoming, 2 ** 24)).length)))
    .post('/endless', async (c) => {
      await readBody(c.var.incoming, 2 ** 24)
      return new Promise<Response>(() => {})
    })
  app.post('/busy', async (c) => {
    await readBody(c.var.incoming, 2 ** 24)
    throw new AppError('overloaded')
  })
  app.onError((error, c) => replyError(c, errorAnswer(asAppError(error)), asAppError(error)))
  const call = async (path: string, megabytes = 1) =>
    app.request(path, { method: 'POST', body: new Uint8Array(megabytes * 2 ** 20) })
  return { clock, call }
}

describe('calls whose request was ended', () => {
  it('count for a limited time on Workers', async () => {
    const { clock, call } = serve('workers')
    for (let i = 0; i < 2; i++) void call('/endless')
    expect((await call('/')).status).toBe(503)
    clock.nowMs += 15 * 60_000
    expect((await call('/')).status).toBe(200)
    expect((await call('/')).status).toBe(200)
  })

  it('do not exist elsewhere: a long call keeps its share', async () => {
    const { clock, call } = serve('node')
    for (let i = 0; i < 2; i++) void call('/endless')
    clock.nowMs += 24 * 3600_000
    expect((await call('/')).status).toBe(503)
  })
})

describe('calls that are refused because the server is busy', () => {
  afterEach(() => vi.useRealTimers())

  it('are answered a little later, and hold no memory until then', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const { call } = serve('node')
    const answered = vi.fn()
    const refused = call('/busy', 5).then(({ status }) => answered(status))
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
    // Beside 5 MB that are held, a body of the same caller may have 3 MB.
    expect((await call('/', 5)).status).toBe(200)
    await vi.advanceTimersByTimeAsync(240)
    expect(answered).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(520)
    await refused
    expect(answered).toHaveBeenCalledWith(503)
  })

  it('are answered at once if most places of the address are taken by those that wait', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const { call } = serve('node', { CONNECTIONS_MAX: '16', CONNECTIONS_PER_ADDRESS_MAX: '4' })
    // Three of four places may wait.
    for (let round = 0; round < 2; round++) {
      const waiting = [1, 2, 3].map(() => call('/busy'))
      for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate)
      expect((await call('/busy')).status).toBe(503)
      await vi.advanceTimersByTimeAsync(760)
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([503, 503, 503])
    }
  })

  it('give back their place among those that wait on Workers, which end them without their end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const limits = { CONNECTIONS_MAX: '2', CONNECTIONS_PER_ADDRESS_MAX: '1' }
    const { clock, call } = serve('workers', limits)
    void call('/busy')
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
    clock.nowMs += 15 * 60_000
    const answered = vi.fn()
    const refused = call('/busy').then(answered)
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
    expect(answered).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(760)
    await refused
  })
})
