import { expect, it, vi } from 'vitest'
import { composeProcessing } from '../../../src/compose/processing.ts'
import { warnOfSandbox } from '../../../src/entry/sandbox.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { readSettings } from '../../../src/settings.ts'

const platform = { models: { profile: { pad: [] }, documents: {} }, artifacts: null, metrics: null }

it.each([
  ['of which companies may be sandboxes', {}, ['by_file', null, null]],
  ['that is a sandbox as a whole', { SVC_SANDBOX: 'true' }, ['by_file', 'by_file', 'by_file']],
])('on a server %s', async (_, environment, expected) => {
  const settings = readSettings(environment)
  const isSandbox = async (id: string) => id === 'tests'
  const processor = composeProcessing(platform as unknown as Platform, settings, null, isSandbox)
  const found = ['tests', 'real', null].map((companyId) => processor.findSandbox({ companyId, metadata: {} }))
  expect(await Promise.all(found)).toEqual(expected)
})

it('a server that is a sandbox says so in its log, and others say nothing', () => {
  const log = vi.fn()
  warnOfSandbox({ log }, readSettings({}))
  expect(log).not.toHaveBeenCalled()
  warnOfSandbox({ log }, readSettings({ SVC_SANDBOX: 'true' }))
  expect(log).toHaveBeenCalledExactlyOnceWith('warn', 'sandbox', {
    message: expect.stringContaining('SVC_SANDBOX'),
  })
})
