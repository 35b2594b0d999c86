import type { ProcessingDeps } from '../folders/process-submission.ts'
import type { Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'

/** What submissions are processed with where no persons are kept. */
export const composeProcessing = (
  { assessor, models, nowMs, randomId }: Platform,
  settings: Settings,
): ProcessingDeps => ({
  ...{ assessor, nowMs, randomId, identification: null },
  profileName: models.profileName,
  profile: models.profile,
  cohort: models.cohort,
  gate: settings.qualityGate,
  gestureRequired: settings.gestureRequired,
  movementRequired: settings.movementRequired,
  thresholdSpoofing: settings.spoofingThreshold,
})
