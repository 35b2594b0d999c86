import type { Identification } from '../analyses/identification/search.ts'
import { wireType } from '../contract/full/analysis-views/registry.ts'
import { Processor } from '../folders/processor.ts'
import type { Platform } from '../platform/platform.ts'
import { type AnalysisRecord, abandonments } from '../records/analysis.ts'
import type { Settings } from '../settings.ts'
import type { AbandonedAnalysis } from '../storage/folders/expire-analyses.ts'

/** Labels of an analysis that ended without a result. */
export const abandonedLabels = ({ type, why }: AbandonedAnalysis) => ({
  type: wireType(type),
  verdict: 'FAILED',
  error_code: String(abandonments[why].code),
})

function verdictLabels({ type, outcome }: AnalysisRecord) {
  const code = outcome.status === 'failed' ? String(outcome.failure.code) : ''
  const verdict = outcome.status === 'finished' ? outcome.decision : outcome.status.toUpperCase()
  return { type: wireType(type), verdict, error_code: code }
}

/**
 * The processor of submissions.
 * @param identification `null` if no persons are stored
 * @param isSandbox whether a company is a sandbox, unless the whole server is one
 */
export function composeProcessing(
  { assessor, models, metrics, artifacts, nowMs, randomId }: Platform,
  settings: Settings,
  identification: Identification | null,
  isSandbox: (companyId: string) => Promise<boolean>,
): Processor {
  return new Processor({
    receiving: { assessor, savesArtifacts: artifacts !== null, randomId },
    running: {
      models: {
        profileName: models.profileName,
        profile: models.profile,
        documents: models.documents,
      },
      deciding: { cohort: models.cohort, identification },
      isParallel: settings.parallelAnalyses,
      nowMs,
      onDecided: metrics && ((analysis) => metrics.verdicts.add(verdictLabels(analysis))),
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
    containerDecline: settings.containerAnalysisEnabled
      ? null
      : 'Analyses of secure containers are switched off on this server (SVC_CONTAINER_ANALYSIS_ENABLED)',
    isSandbox: async (companyId) => settings.sandbox || (companyId !== null && (await isSandbox(companyId))),
    nowMs,
    randomId,
  })
}
