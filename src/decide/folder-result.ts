import type { Decision, Outcome } from './analysis.ts'

export interface FolderResult {
  resolutionStatus: 'INITIAL' | 'PROCESSING' | 'FAILED' | 'FINISHED'
  systemResolution: 'INITIAL' | 'PROCESSING' | 'FAILED' | Decision
}

/** A run of an analysis, as needed for the folder's result. */
export interface AnalysisRun {
  type: string
  /** The collection of an identification; absent for other types. */
  collectionId?: string
  mediumIds: readonly string[]
  createdAtMs: number
  outcome: Outcome | { status: 'processing' }
}

/** Keeps only the newest of the runs with the same type, media and collection. */
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

/** Computes the folder's result: the most severe result of its analyses, once all have finished. */
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
