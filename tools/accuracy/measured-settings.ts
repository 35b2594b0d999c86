/** The settings with which accuracy is measured. */
import { readLocalSettings } from '../../scripts/cli/local-settings.ts'
import type { Settings } from '../../src/settings.ts'

/** @param defaults of settings that the environment may set */
export function measuredSettings(defaults: Record<string, string> = {}): Settings {
  const entries = Object.entries({ LOG_LEVEL: 'warn', ...defaults })
  return readLocalSettings(
    Object.fromEntries(entries.map(([name, value]) => [name, process.env[name] ?? value])),
  )
}
