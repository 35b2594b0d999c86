import { expect, it } from 'vitest'
import { measurePlatform } from '../../../src/compose/measured-platform.ts'
import { AppError, type ErrorCode } from '../../../src/errors.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { readSettings } from '../../../src/settings.ts'

it.each<[ErrorCode | null, string]>([
  ['media_unreadable', 'refused'],
  ['media_unsupported', 'refused'],
  ['overloaded', 'overloaded'],
  ['engine_unavailable', 'failed'],
  ['media_unprocessable', 'failed'],
  ['internal', 'failed'],
  [null, 'failed'],
])('a medium that ends with %s counts as %s', async (code, outcome) => {
  const measured = measurePlatform(
    {
      runtime: 'node',
      models: { profileName: 'embedded', profile: { assurance: 'low' } },
      assessor: {
        assess: () => Promise.reject(code ? new AppError(code) : new TypeError('a bug')),
        health: () => ({ ready: 1, workers: 1, waiting: 0, waitingMax: 1, replaced: 0 }),
      },
      persistence: null,
      usage: () => ({ memory: {}, cpuS: 0 }),
      nowMs: Date.now,
      monotonicMs: () => performance.now(),
    } as unknown as Platform,
    readSettings({ SVC_METRICS_TOKEN: 'a token of a test' }),
  )
  const wanted = { faces: true, pad: false, template: false, bestShot: false }
  await expect(measured.assessor.assess(openMedium(Uint8Array.of(1)), wanted)).rejects.toThrow()
  const text = await measured.metrics!.registry.write()
  expect(text).toContain(`vivace_media_total{outcome="${outcome}"} 1`)
})
