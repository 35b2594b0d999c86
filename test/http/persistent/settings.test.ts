/** The settings that administrators see. */
import { describe, expect, inject, it } from 'vitest'
import { testedRuntime } from '../../fixtures/server.ts'
import { call, signInAsAdmin } from './service.ts'

describe.skipIf(testedRuntime === 'workers')('settings', () => {
  it('an administrator reads them, and no secret is among them', async () => {
    const { token } = await signInAsAdmin()
    const { status, json, text } = await call(token, 'GET', '/api/settings')
    expect(status).toBe(200)
    const find = (name: string) => json.find((setting: { name: string }) => setting.name === name)
    expect(find('SVC_CONTAINER_ANALYSIS_ENABLED')).toMatchObject({
      value: 'true',
      default_value: 'false',
      is_changed: true,
    })
    expect(find('SVC_ADMIN_PASSWORD')).toMatchObject({ value: null, default_value: null, is_changed: true })
    expect(text).not.toContain(inject('admin').password)
  })
})
