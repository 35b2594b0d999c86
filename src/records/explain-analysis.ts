import { findAnalysisKind } from '../analyses/registry.ts'
import { type Reason, sortReasons } from '../decide/reasons.ts'
import type { AnalysisRecord } from './analysis.ts'

/** Why the service did not decide an analysis with success, the gravest reason first; `[]` if it did, or has not decided. */
export function explainAnalysis(analysis: AnalysisRecord): Reason[] {
  const { outcome, models } = analysis
  if (outcome.status === 'processing') return []
  if (outcome.status === 'failed') {
    const { reasons = ['undecided'], mediumId } = outcome.failure
    const mediumIds = mediumId === null ? [] : [mediumId]
    return sortReasons(reasons.map((code) => ({ code, mediumIds })))
  }
  if (outcome.decision === 'SUCCESS') return []
  // What was decided without networks has not run.
  if (models === null) return [{ code: 'containers_not_analysed', mediumIds: [] }]
  return sortReasons(findAnalysisKind(analysis).explain(analysis, outcome.decision))
}
