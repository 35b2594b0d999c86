import { expect, it, vi } from 'vitest'
import type { PersistentServices, Services } from '../../../src/compose/services.ts'
import { AppError } from '../../../src/errors.ts'
import { probeRoutes } from '../../../src/http/probes.ts'
import { checkMaxMs, checkStores } from '../../../src/http/readiness.ts'
import type { FreeSpace, Platform } from '../../../src/platform/platform.ts'
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

it('health warns of what could not be removed and of little space, and fails on a full disk', async () => {
  let undeleted: () => Promise<number> = async () => 0
  let space: FreeSpace | null = null
  let failedRemovals = 0
  const checks = { database: async () => {}, storage: async () => {} }
  const persistent = {
    checks,
    countUndeleted: () => undeleted(),
    countFailedRemovals: () => failedRemovals,
    freeSpace: async () => space,
  } as unknown as PersistentServices
  const database = { status: 'ok' }
  expect(await checkStores(persistent)).toEqual({
    database,
    storage: { status: 'ok', undeleted_files: 0, failed_removals: 0 },
  })
  undeleted = async () => 2
  const storage = { status: 'warning', undeleted_files: 2, failed_removals: 0 }
  expect(await checkStores(persistent)).toEqual({ database, storage })
  undeleted = () => Promise.reject(new AppError('database_failed'))
  expect(await checkStores(persistent)).toEqual({ database, storage: { status: 'ok', failed_removals: 0 } })
  checks.storage = () => Promise.reject(new AppError('external_failed'))
  undeleted = async () => 2
  expect(await checkStores(persistent)).toEqual({ database, storage: { status: 'error' } })
  expect(await checkStores(null)).toEqual({})
  checks.storage = async () => {}
  undeleted = async () => 0
  const shown = async () => (await checkStores(persistent)).storage
  space = { bytes: 5_500_000_000, isLow: false, isScarce: false }
  expect(await shown()).toEqual({
    status: 'ok',
    undeleted_files: 0,
    failed_removals: 0,
    free_megabytes: 5500,
  })
  failedRemovals = 1
  expect(await shown()).toMatchObject({ status: 'warning', failed_removals: 1 })
  failedRemovals = 0
  const figures = { undeleted_files: 0, failed_removals: 0 }
  space = { bytes: 900_000_000, isLow: true, isScarce: false }
  expect(await shown()).toEqual({ status: 'warning', ...figures, free_megabytes: 900 })
  space = { bytes: 0, isLow: true, isScarce: true }
  expect(await shown()).toEqual({ status: 'error', ...figures, free_megabytes: 0 })
})

it('tells the log once why it is not ready, and when it is again', async () => {
  let fault: Error | null = null
  const lines: unknown[] = []
  const storage = async () => {
    if (fault) throw fault
  }
  let space: FreeSpace | null = null
  const persistent = { checks: { storage }, freeSpace: async () => space }
  const services = { isStopping: () => false, persistent } as unknown as Services
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
  space = { bytes: 95_000_000, isLow: true, isScarce: true }
  expect([await ready(), lines.at(-1)]).toEqual([
    503,
    ['warn', 'not ready', { parts: 'disk', cause: expect.stringMatching(/^95 MB are free .*free space/) }],
  ])
  expect(await (await app.request('/readyz')).json()).toMatchObject({
    components: { storage: 'ok', disk: 'error' },
  })
  space = { bytes: 900_000_000, isLow: true, isScarce: false }
  expect(await ready()).toBe(200)
})

it('is not ready while the disk does not answer', async () => {
  const persistent = { checks: {}, freeSpace: () => new Promise<never>(() => {}) }
  const services = { isStopping: () => false, persistent } as unknown as Services
  const log = vi.fn()
  const platform = { assessor: { health: () => ({ ready: 1 }) }, log } as unknown as Platform
  vi.useFakeTimers()
  try {
    const answer = probeRoutes({ platform, services, settings: readSettings({}) }).request('/readyz')
    await vi.advanceTimersByTimeAsync(checkMaxMs)
    expect(await (await answer).json()).toEqual({
      status: 'error',
      components: { assessor: 'ok', disk: 'error' },
    })
    expect(log).toHaveBeenCalledWith('warn', 'not ready', { parts: 'disk', cause: 'no answer within 5 s' })
  } finally {
    vi.useRealTimers()
  }
})
