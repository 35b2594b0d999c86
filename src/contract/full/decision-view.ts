import type { DecisionRecord } from '../../records/decision.ts'
import type { Json } from '../spaced-json.ts'
import { seconds } from './media-view.ts'

/** A decision of an operator. @param email of its author; `null` unless the caller may read it */
export const decisionView = (decision: DecisionRecord, email: string | null): Json => ({
  decision_id: decision.id,
  analysis_ids: decision.analysisIds,
  status: decision.status,
  reason_code: decision.reason,
  comment: decision.comment,
  author_id: decision.authorId,
  author_email: email,
  resolution_state_hash: decision.stateHash,
  is_effective: decision.isEffective,
  time_created: seconds(decision.atMs),
})
