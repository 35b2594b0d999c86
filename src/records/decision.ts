/** Decisions of operators. Each is a record of its own, which is never changed: what is decided later is another record. */
import type { Verdict } from '../decide/analysis.ts'
import type { AnalysisHead } from './analysis.ts'
import type { FolderReview } from './folder.ts'

/** Why an operator accepts or declines. Programs and pages tell them in their own words. */
export const decisionReasons = [
  'genuine',
  'same_person',
  'document_valid',
  'quality_sufficient',
  'print',
  'screen',
  'mask',
  'manipulated',
  'different_person',
  'several_people',
  'document_expired',
  'document_forged',
  'document_unreadable',
  'quality_insufficient',
  'other',
] as const
export type DecisionReason = (typeof decisionReasons)[number]

export interface DecisionRecord {
  id: string
  /** The analyses that it decides; none of a remark on the folder, or of a folder without analyses. */
  analysisIds: readonly string[]
  /** `SUCCESS`, `DECLINED`, or another word as the status of the folder; `null` of a comment. */
  status: string | null
  reason: DecisionReason | null
  comment: string
  authorId: string
  atMs: number
  /** The state of the folder that it was made on (`hashState`); `null` if there was none, or it is not recorded. */
  stateHash: string | null
  /** Whether it took effect: with four eyes only the one that agrees with the decision of another person. */
  isEffective: boolean
}

/** A decision or remark as an operator sends it. */
export interface SentDecision {
  /** Absent if it stays what it is; `null` takes the word of a remark back. */
  status?: string | null
  reason: DecisionReason | null
  comment?: string | null
  /** The state that the operator saw; absent if the call names none. */
  seenHash?: string | null
}

export interface NewDecision extends SentDecision {
  id: string
  authorId: string
  /** What it decides: one analysis, all of the case, or nothing, if it is a remark. */
  on: { analysisId: string } | 'case' | 'nothing'
  /** Whether a second person must agree. */
  needsSecond: boolean
}

export const isVerdict = (status: string | null | undefined): status is Verdict =>
  status === 'SUCCESS' || status === 'DECLINED'

/**
 * A hash over the outcomes of all analyses, or without analyses over the decision on the folder, by which two states of a folder
 * are told apart; `null` without both.
 */
export function hashState(
  analyses: readonly AnalysisHead[],
  { status, authorId, atMs }: Pick<FolderReview, 'status' | 'authorId' | 'atMs'>,
): string | null {
  if (analyses.length === 0) return isVerdict(status) ? fingerprint([status, authorId, atMs].join(' ')) : null
  const states = analyses.map(({ id, outcome, operator }) => {
    const verdict = outcome.status === 'finished' ? outcome.decision : outcome.status
    // Decisions of databases of 1.0.0 have no id.
    const decided = operator?.decisionId ? ` ${operator.decisionId}` : ''
    return `${id} ${operator?.decision ?? verdict}${decided}`
  })
  return fingerprint(states.sort().join('\n'))
}

/** FNV-1a with 64 bits. It is not cryptographic: it tells states apart and protects nothing. */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  }
  return hash.toString(16).padStart(16, '0')
}
