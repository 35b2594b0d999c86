/** Calls give back what they hold, also on a runtime that ends requests without their `finally`. */
import { Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { asAppError, errorAnswer } from '../../../src/contract/error-table.ts'
import { AppError } from '../../../src/errors.ts'
import type { AppEnv, Deps } from '../../../src/http/app-env.ts'
import { readBody } from '../../../src/http/body.ts'
import { boundCalls } from '../../../src/http/middleware/bound-calls.ts'
import { replyError } from '../../../src/http/reply.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { readSettings } from '../../../src/settings.ts'

// Reading a body takes no time of the clock that these tests turn.
vi.mock('../../../src/queue/loop-turns.ts', () => ({
  loopTurns: () => () => new Promise((resolve) => setImmediate(resolve)),
}))

function serve(
  runtime: 'workers' | 'node',
  limits: Record<string, string> = {},
  restOfBody: Platform['restOfBody'] = 'by_runtime',
) {
  const clock = { nowMs: 0 }
  const platform = {
    runtime,
    memoryBytes: 2 ** 27,
    monotonicMs: () => clock.nowMs,
    restOfBody,
  }
  const settings = readSettings({
    CONNECTIONS_MAX: '2',
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
  app.post('/refused', () => {
    throw new AppError('forbidden')
  })
  app.onError((error, c) => replyError(c, errorAnswer(asAppError(error)), asAppError(error)))
  const call = async (path: string, megabytes = 1) =>
    app.request(path, { method: 'POST', body: new Uint8Array(megabytes * 2 ** 20) })
  /** A refused call whose body comes in pieces of a kilobyte, which stops when the server wants no more. */
  const send = (pieces: number, headers: Record<string, string> = {}) => {
    const sent = { pieces: 0, isCancelled: false }
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await new Promise(setImmediate)
          if (sent.pieces++ < pieces) controller.enqueue(new Uint8Array(1024))
          else controller.close()
        },
        cancel() {
          sent.isCancelled = true
        },
      },
      { highWaterMark: 0 },
    )
    const init = { method: 'POST', body, headers, duplex: 'half' } as RequestInit
    return { sent, answer: app.request('/refused', init) }
  }
  return { clock, call, send }
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
    const { call } = serve('node', { CONNECTIONS_MAX: '32' })
    // Six of eight places may wait.
    for (let round = 0; round < 2; round++) {
      const waiting = Array.from({ length: 6 }, () => call('/busy'))
      for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate)
      expect((await call('/busy')).status).toBe(503)
      await vi.advanceTimersByTimeAsync(760)
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(6).fill(503))
    }
  })

  it('give back their place among those that wait on Workers, which end them without their end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const limits = { CONNECTIONS_MAX: '2' }
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

describe('the rest of a refused body', () => {
  const close = { Connection: 'close' }
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await new Promise(setImmediate)
  }

  it('is dropped beside the answer, or before it where the connection ends with it', async () => {
    const beside = serve('node', {}, 'beside_answer').send(100, close)
    expect((await beside.answer).status).toBe(403)
    expect(beside.sent.pieces).toBeLessThan(100)
    await turns(300)
    expect(beside.sent).toEqual({ pieces: 101, isCancelled: false })
    const { send } = serve('node', {}, 'before_last_answer')
    const last = send(100, close)
    expect((await last.answer).status).toBe(403)
    expect(last.sent).toEqual({ pieces: 101, isCancelled: false })
    const open = send(100)
    await open.answer
    expect(open.sent.pieces).toBeLessThan(100)
  })

  it('is no longer than three times the largest medium', async () => {
    const { sent } = serve('node', {}, 'beside_answer').send(100_000)
    await turns(30_000)
    expect(sent.isCancelled).toBe(true)
    expect(sent.pieces / 1024).toBeCloseTo(9, 1)
  })

  it('of more callers at once than may call is not read', async () => {
    const { send } = serve('node', {}, 'beside_answer')
    const first = [send(1000), send(1000)]
    await Promise.all(first.map(({ answer }) => answer))
    const third = send(1000)
    expect((await third.answer).status).toBe(403)
    await turns(50)
    expect(third.sent.isCancelled).toBe(true)
    expect(third.sent.pieces).toBeLessThan(3)
    await turns(3000)
    expect(first.map(({ sent }) => sent.pieces)).toEqual([1001, 1001])
    const later = send(1000)
    await turns(3000)
    expect(later.sent).toEqual({ pieces: 1001, isCancelled: false })
  })
})
