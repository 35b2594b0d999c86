/** The operator's switches for analyses of media that came in containers. */
import type { AnalysisType } from '../analyses/registry.ts'
import type { Settings } from '../settings.ts'

const switchByType: Partial<Record<AnalysisType, { name: string; isOn(settings: Settings): boolean }>> = {
  liveness: {
    name: 'SVC_QUALITY_ANALYSIS_ENABLED',
    isOn: ({ qualityAnalysisEnabled }) => qualityAnalysisEnabled,
  },
  verification: {
    name: 'SVC_BIOMETRY_ANALYSIS_ENABLED',
    isOn: ({ biometryAnalysisEnabled }) => biometryAnalysisEnabled,
  },
  identification: {
    name: 'SVC_COLLECTION_ANALYSIS_ENABLED',
    isOn: ({ collectionAnalysisEnabled }) => collectionAnalysisEnabled,
  },
  documents: {
    name: 'SVC_DOCUMENTS_ANALYSIS_ENABLED',
    isOn: ({ documentsAnalysisEnabled }) => documentsAnalysisEnabled,
  },
}

/** Why the operator of the server lets no analysis of this type run on containers; `null` if it may run. */
export function findContainerDecline(type: AnalysisType, settings: Settings): string | null {
  if (!settings.containerAnalysisEnabled)
    return 'Analyses of secure containers are switched off on this server (SVC_CONTAINER_ANALYSIS_ENABLED)'
  const own = switchByType[type]
  return own && !own.isOn(settings)
    ? `Analyses of this type are switched off for secure containers on this server (${own.name})`
    : null
}
