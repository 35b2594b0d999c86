import type { Decision, Outcome } from './analysis.ts'

export interface FolderResult {
  resolutionStatus: 'INITIAL' | 'FAILED' | 'FINISHED'
  systemResolution: 'INITIAL' | 'FAILED' | Decision
}

/** The folder's result from its analyses' results: the gravest one counts. */
export function folderResult(outcomes: readonly Outcome[]): FolderResult {
  if (outcomes.length === 0) return { resolutionStatus: 'INITIAL', systemResolution: 'INITIAL' }
  if (outcomes.some(({ status }) => status === 'failed')) {
    return { resolutionStatus: 'FAILED', systemResolution: 'FAILED' }
  }
  const decisions = outcomes.map((outcome) => (outcome.status === 'finished' ? outcome.decision : null))
  const gravest = (['DECLINED', 'OPERATOR_REQUIRED'] as const).find((decision) =>
    decisions.includes(decision),
  )
  return { resolutionStatus: 'FINISHED', systemResolution: gravest ?? 'SUCCESS' }
}
