import type { Decision, Outcome, Verdict } from './analysis.ts'

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
  /** What an operator decided; `null` if nobody has. */
  operator?: Verdict | null
}

/** Results that a person may have to decide on. */
export const waitingResults = ['OPERATOR_REQUIRED', 'DECLINED', 'FAILED'] as const
export type WaitingResult = (typeof waitingResults)[number]

/** What people have decided on a folder, and what waits for them. */
interface FolderReviewResult {
  /** `null` as long as an analysis that is not `SUCCESS` has no decision. */
  status: Verdict | null
  /** Analyses without a decision, by their result. */
  waiting: Readonly<Record<WaitingResult, number>>
  /** When the oldest of them was requested. */
  waitingSinceMs: number | null
}

/** Keeps only the newest of the runs with the same type, media and collection. */
function pickNewestRuns<Run extends AnalysisRun>(runs: readonly Run[]): Run[] {
  const newest = new Map<string, Run>()
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

const resultOf = ({ outcome }: AnalysisRun) => (outcome.status === 'finished' ? outcome.decision : 'FAILED')

/** The runs that a decision on the whole folder decides: those that are not `SUCCESS` or were decided before, or else all. */
export function pickDecidedRuns<Run extends AnalysisRun>(runs: readonly Run[]): Run[] {
  const newest = pickNewestRuns(runs)
  const chosen = newest.filter((run) => run.operator || resultOf(run) !== 'SUCCESS')
  return chosen.length > 0 ? chosen : newest
}

/** Computes what people have decided on a folder, once all its analyses have ended. */
export function computeReview(runs: readonly AnalysisRun[]): FolderReviewResult {
  const hasEnded = !runs.some(({ outcome }) => outcome.status === 'processing')
  const newest = hasEnded ? pickNewestRuns(runs) : []
  const open = newest.filter((run) => !run.operator && resultOf(run) !== 'SUCCESS')
  const decided = newest.flatMap(({ operator }) => operator ?? [])
  const worst = decided.includes('DECLINED') ? 'DECLINED' : 'SUCCESS'
  const count = (result: WaitingResult) => open.filter((run) => resultOf(run) === result).length
  return {
    status: open.length > 0 || decided.length === 0 ? null : worst,
    waiting: {
      OPERATOR_REQUIRED: count('OPERATOR_REQUIRED'),
      DECLINED: count('DECLINED'),
      FAILED: count('FAILED'),
    },
    waitingSinceMs: open.length === 0 ? null : Math.min(...open.map(({ createdAtMs }) => createdAtMs)),
  }
}
