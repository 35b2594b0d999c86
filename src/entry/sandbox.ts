import type { Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'

/** Logs that the whole server checks nothing. */
export function warnOfSandbox({ log }: Pick<Platform, 'log'>, { sandbox }: Pick<Settings, 'sandbox'>): void {
  if (!sandbox) return
  log('warn', 'sandbox', {
    message: 'SVC_SANDBOX: analyses end as their folders ask; no face, movement or document is checked',
  })
}
