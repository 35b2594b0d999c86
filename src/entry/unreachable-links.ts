import type { Platform } from '../platform/platform.ts'
import { describeLinks, type Settings } from '../settings.ts'

/** Logs that links which no request makes lead nowhere. */
export function warnOfLinks({ log, runtime }: Platform, settings: Settings): void {
  const message = describeLinks(settings, runtime === 'workers')
  if (message) log('warn', 'unreachable links', { message: `${message}; set PUBLIC_URL` })
}
