/** The contract's words for the types of analyses. */
import type { AnalysisType } from '../../decide/analysis.ts'

export const wireTypes = {
  liveness: 'QUALITY',
  verification: 'BIOMETRY',
  identification: 'COLLECTION',
  documents: 'DOCUMENTS',
} as const satisfies Record<AnalysisType, string>

/** Types by the words that requests use, in upper case. */
export const analysisTypes: Readonly<Record<string, AnalysisType>> = {
  ...Object.fromEntries(Object.entries(wireTypes).map(([type, word]) => [word, type as AnalysisType])),
  LIVENESS: 'liveness',
}
