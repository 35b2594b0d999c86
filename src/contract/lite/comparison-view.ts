import type { Decision } from '../../decide/analysis.ts'

/** Decisions as the Lite service names them. */
const decisionWord: Record<Decision, string> = {
  SUCCESS: 'approved',
  OPERATOR_REQUIRED: 'operator_required',
  DECLINED: 'declined',
}

/** A comparison of two templates. */
export const comparisonView = ({ score, decision }: { score: number; decision: Decision }) => ({
  score,
  decision: decisionWord[decision],
})
