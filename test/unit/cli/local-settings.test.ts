import { afterEach, describe, expect, it, vi } from 'vitest'
import { readLocalSettings } from '../../../scripts/cli/local-settings.ts'

afterEach(() => vi.unstubAllEnvs())

describe('settings of programs that assess media themselves', () => {
  it('need none of what a service needs, so that they run beside one', () => {
    vi.stubEnv('SVC_APP_COMPONENTS', 'all')
    vi.stubEnv('SVC_ADMIN_EMAIL', 'owner@example.com')
    vi.stubEnv('SVC_ADMIN_PASSWORD', 'a long password of the owner')
    vi.stubEnv('SVC_METRICS_TOKEN', 'a token of a test')
    vi.stubEnv('SVC_SPOOFING_THRESHOLD', '0.4')
    vi.stubEnv('LOG_LEVEL', 'debug')
    const settings = readLocalSettings({ LOG_LEVEL: 'error' })
    expect(settings.components.stateful).toBe(false)
    expect([settings.pagesEnabled, settings.metricsToken]).toEqual([false, ''])
    expect(settings.spoofingThreshold).toBe(0.4)
    expect(settings.logLevel).toBe('error')
  })
})
