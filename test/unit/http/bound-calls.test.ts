/** Calls give back what they hold, also on a runtime that ends requests without their `finally`. */
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { asAppError, errorAnswer } from '../../../src/contract/error-table.ts'
import type { AppEnv, Deps } from '../../../src/http/app-env.ts'
import { readBody } from '../../../src/http/body.ts'
import { boundCalls } from '../../../src/http/middleware/bound-calls.ts'
import { replyError } from '../../../src/http/reply.ts'
import { readSettings } from '../../../src/settings.ts'

function serve(runtime: 'workers' | 'node') {
  const clock = { nowMs: 0 }
  const platform = {
    runtime,
    memoryBytes: 2 ** 27,
    monotonicMs: () => clock.nowMs,
    readsAfterAnswer: false,
  }
  const settings = readSettings({ CONNECTIONS_MAX: '2' })
  const app = new Hono<AppEnv>()
    .use(boundCalls({ platform, settings } as unknown as Deps))
    .post('/', async (c) => c.text(String((await readBody(c.var.incoming, 2 ** 24)).length)))
    .post('/endless', async (c) => {
      await readBody(c.var.incoming, 2 ** 24)
      return new Promise<Response>(() => {})
    })
  app.onError((error, c) => replyError(c, errorAnswer(asAppError(error)), asAppError(error)))
  const call = async (path: string) => app.request(path, { method: 'POST', body: new Uint8Array(2 ** 20) })
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
