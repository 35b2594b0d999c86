import type { Processor } from '../folders/processor.ts'
import { LiteService } from '../lite/lite-service.ts'
import type { Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'

export const composeLite = (
  { assessor, acceptedTypes, models }: Platform,
  settings: Settings,
  processor: Processor,
): LiteService =>
  new LiteService({
    assessor,
    processor,
    cohort: models.cohort,
    acceptedTypes,
    rules: {
      gate: settings.qualityGate,
      thresholdSpoofing: settings.spoofingThreshold,
      band: { min: settings.matchThresholdMin, max: settings.matchThresholdMax },
      challengeRequired: settings.challengeRequired,
      movementRequired: settings.movementRequired,
    },
  })
