import type { Identification } from '../analyses/identification/search.ts'
import { Processor } from '../folders/processor.ts'
import type { Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'
import { findContainerDecline } from './container-switches.ts'

/**
 * The processor of submissions.
 * @param identification `null` if no persons are stored
 */
export function composeProcessing(
  { assessor, models, nowMs, randomId }: Platform,
  settings: Settings,
  identification: Identification | null,
): Processor {
  return new Processor({
    receiving: { assessor, nowMs, randomId },
    running: {
      models: {
        profileName: models.profileName,
        profile: models.profile,
        documents: models.documents,
      },
      deciding: { cohort: models.cohort, identification },
      isParallel: settings.parallelAnalyses,
      nowMs,
      randomId,
    },
    rules: {
      thresholdSpoofing: settings.spoofingThreshold,
      gate: settings.qualityGate,
      gestureRequired: settings.gestureRequired,
      movementRequired: settings.movementRequired,
      challengeRequired: settings.challengeRequired,
      documents: settings.components.documents && models.documents.mrz !== undefined,
      documentTags: settings.documentTagsFiltration,
    },
    containerDecline: (type) => findContainerDecline(type, settings),
    nowMs,
    randomId,
  })
}
