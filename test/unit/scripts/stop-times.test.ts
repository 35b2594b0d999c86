/** What stops a server waits for longer than the server takes to end. */
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { readSettings } from '../../../src/settings.ts'

const deployments: [file: string, time: RegExp][] = [
  ['deploy/vivace.service', /^TimeoutStopSec=(\d+)$/m],
  ['compose.yaml', /^ +stop_grace_period: (\d+)s$/m],
  ['deploy/fly.toml', /^kill_timeout = "(\d+)s"$/m],
  ['deploy/kubernetes/vivace.yaml', /^ +terminationGracePeriodSeconds: (\d+)$/m],
]

it.each(deployments)('%s leaves the server enough time to end', async (file, time) => {
  const text = await readFile(new URL(`../../../${file}`, import.meta.url), 'utf8')
  const delay = /name: SHUTDOWN_DELAY, value: '(\d+)'/.exec(text)?.[1] ?? ''
  const { shutdownDelayS, shutdownMaxS } = readSettings({ SHUTDOWN_DELAY: delay })
  expect(Number(time.exec(text)?.[1])).toBeGreaterThan(shutdownDelayS + shutdownMaxS)
})
