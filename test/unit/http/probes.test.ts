import { expect, it } from 'vitest'
import type { Services } from '../../../src/compose/services.ts'
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
