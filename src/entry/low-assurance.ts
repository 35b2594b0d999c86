import type { Platform } from '../platform/platform.ts'

/** Logs that the networks in use find fewer attacks than others. */
export function warnOfLowAssurance({ log, models: { profileName, profile } }: Platform): void {
  if (profile.assurance !== 'low') return
  log('warn', 'low assurance', {
    message: `profile ${profileName}: presentation attack detection is less certain than in profile standard (fewer networks, one of them trained on simulated attacks alone); use MODEL_PROFILE=standard for real checks`,
  })
}
