import { expect, it } from 'vitest'
import { warnOfLinks } from '../../../src/entry/unreachable-links.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { readSettings } from '../../../src/settings.ts'

it.each([
  ['node', {}, 0],
  ['node', { HOST: '0.0.0.0' }, 1],
  ['workers', {}, 1],
  ['workers', { PUBLIC_URL: 'https://liveness.example' }, 0],
])('a start on %s with %j warns of links that lead nowhere %i times', (runtime, environment, times) => {
  const lines: unknown[] = []
  const platform = { runtime, log: (...line: unknown[]) => lines.push(line) } as unknown as Platform
  warnOfLinks(platform, readSettings({ SVC_APP_COMPONENTS: 'auth,stateful', ...environment }))
  const message = expect.stringMatching(/^links in webhooks .*; set PUBLIC_URL$/)
  expect(lines).toEqual(Array(times).fill(['warn', 'unreachable links', { message }]))
})
