import { expect, it } from 'vitest'
import type { Services } from '../../../src/compose/services.ts'
import { AppError } from '../../../src/errors.ts'
import { probeRoutes } from '../../../src/http/probes.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { readSettings } from '../../../src/settings.ts'

it('a server that ends is alive and not ready', async () => {
  let isStopping = false
  const services = { isStopping: () => isStopping, persistent: null } as unknown as Services
  const platform = { assessor: { health: () => ({ ready: 1 }) } } as unknown as Platform
  const app = probeRoutes({ platform, services, settings: readSettings({}) })
  const ready = async () => {
    const answer = await app.request('/readyz')
    return [answer.status, await answer.json()]
  }
  expect(await ready()).toEqual([200, { status: 'ok', components: { assessor: 'ok' } }])
  isStopping = true
  expect(await ready()).toEqual([503, { status: 'error', components: { shutdown: 'error' } }])
  expect((await app.request('/livez')).status).toBe(200)
})

it('tells the log once why it is not ready, and when it is again', async () => {
  let fault: Error | null = null
  const lines: unknown[] = []
  const storage = async () => {
    if (fault) throw fault
  }
  const services = { isStopping: () => false, persistent: { checks: { storage } } } as unknown as Services
  const platform = {
    assessor: { health: () => ({ ready: 1 }) },
    log: (...line: unknown[]) => lines.push(line),
  } as unknown as Platform
  const app = probeRoutes({ platform, services, settings: readSettings({}) })
  const ready = async () => (await app.request('/readyz')).status
  expect([await ready(), lines]).toEqual([200, []])
  fault = new AppError('external_failed', 'the blob store failed', {
    cause: new Error('open failed with EACCES'),
  })
  expect([await ready(), await ready()]).toEqual([503, 503])
  const told = ['warn', 'not ready', { parts: 'storage', cause: 'open failed with EACCES' }]
  expect(lines).toEqual([told])
  expect(await (await app.request('/readyz')).text()).not.toContain('EACCES')
  fault = null
  expect([await ready(), await ready(), lines]).toEqual([200, 200, [told, ['info', 'ready again', {}]]])
})
