import type { Decision, Outcome } from './analysis.ts'

export interface FolderResult {
  resolutionStatus: 'INITIAL' | 'PROCESSING' | 'FAILED' | 'FINISHED'
  systemResolution: 'INITIAL' | 'PROCESSING' | 'FAILED' | Decision
}

/** A run of an analysis as the folder's result sees it. */
export interface AnalysisRun {
  type: string
  /** Where persons were looked for; absent for analyses of other types. */
  collectionId?: string
  mediumIds: readonly string[]
  createdAtMs: number
  outcome: Outcome | { status: 'processing' }
}

/** Of runs of one type on the same media, and in the same collection, only the newest counts. */
function pickNewestRuns(runs: readonly AnalysisRun[]): AnalysisRun[] {
  const newest = new Map<string, AnalysisRun>()
  for (const run of runs) {
    const key = [run.type, run.collectionId, ...[...run.mediumIds].sort()].join(' ')
    const known = newest.get(key)
    if (!known || run.createdAtMs >= known.createdAtMs) newest.set(key, run)
  }
  return [...newest.values()]
}

const toFolderResult = (status: 'INITIAL' | 'PROCESSING' | 'FAILED'): FolderResult => ({
  resolutionStatus: status,
  systemResolution: status,
})

/** The folder's result from its analyses' results: the gravest one counts, and none before all have ended. */
export function computeFolderResult(runs: readonly AnalysisRun[]): FolderResult {
  if (runs.length === 0) return toFolderResult('INITIAL')
  if (runs.some(({ outcome }) => outcome.status === 'processing')) return toFolderResult('PROCESSING')
  const outcomes = pickNewestRuns(runs).map(({ outcome }) => outcome)
  if (outcomes.some(({ status }) => status === 'failed')) return toFolderResult('FAILED')
  const decisions = outcomes.map((outcome) => (outcome.status === 'finished' ? outcome.decision : null))
  const gravest = (['DECLINED', 'OPERATOR_REQUIRED'] as const).find((decision) =>
    decisions.includes(decision),
  )
  return { resolutionStatus: 'FINISHED', systemResolution: gravest ?? 'SUCCESS' }
}
