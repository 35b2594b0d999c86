import { suggestName } from '../contract/unknown-name.ts'
import type { Platform } from '../platform/platform.ts'
import { type Environment, findUnknownSettings, settingNames } from '../settings.ts'

/** Logs variables that look like settings and are none, each with the name that was probably meant. */
export function warnOfUnknownSettings({ log }: Platform, environment: Environment): void {
  for (const name of findUnknownSettings(environment)) {
    const meant = suggestName(name, settingNames)
    log('warn', 'unknown setting', {
      message: `${name} is not a setting and has no effect${meant === null ? '' : `; did you mean ${meant}?`}`,
    })
  }
}
