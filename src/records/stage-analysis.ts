/** Ends analyses of sandboxes as their names say. */
import type { DecidedAnalysis } from '../analyses/analysis-kind.ts'
import { type AnalysisSubject, type AnalysisType, findAnalysisKind } from '../analyses/registry.ts'
import { type Decision, type Failure, failures } from '../decide/analysis.ts'
import { isPoorReason, type ReasonCode, reasonTexts } from '../decide/reasons.ts'
import { describePoorSample } from '../decide/sample.ts'
import { type AnalysisRecord, abandonments } from './analysis.ts'
import { type SandboxName, sandboxSuccesses } from './sandbox.ts'

/** Reasons for which a person decides. */
const doubts: ReadonlySet<ReasonCode> = new Set([
  ...(['similarity_uncertain', 'similar_person_listed', 'collection_incomplete'] as const),
  ...(['several_documents', 'document_unproven', 'expiry_unsure', 'dates_unsure'] as const),
  ...(['field_unread', 'fields_unsure'] as const),
])

type FailureText = Omit<Failure, 'mediumId'>

const failureTexts: readonly FailureText[] = [...Object.values(failures), ...Object.values(abandonments)]
const lost: readonly FailureText[] = Object.values(abandonments)

function findFailure(code: ReasonCode, type: AnalysisType): FailureText | null {
  if (isPoorReason(code)) return describePoorSample([code])
  // Two people in a clip are an attack, and nobody who can be compared.
  if (code === 'identity_changes' && type !== 'liveness') return { ...failures.severalFaces, reasons: [code] }
  return failureTexts.find(({ reasons = [] }) => reasons.includes(code)) ?? null
}

/** How an analysis of a type ends under a name. */
export function sandboxOutcome(
  name: SandboxName,
  type: AnalysisType,
): { code: ReasonCode | null; end: Decision | FailureText } {
  if (name in sandboxSuccesses) return { code: null, end: 'SUCCESS' }
  const code = name as ReasonCode
  // A type that does not give this reason finds nothing wrong.
  if (!(reasonTexts[code].of as readonly AnalysisType[]).includes(type)) return { code: null, end: 'SUCCESS' }
  return { code, end: findFailure(code, type) ?? (doubts.has(code) ? 'OPERATOR_REQUIRED' : 'DECLINED') }
}

/** Decides an analysis of a sandbox as its name says. */
export function stageAnalysis(analysis: AnalysisRecord, name: SandboxName): DecidedAnalysis<AnalysisSubject> {
  const { media, parameters } = analysis
  const { code, end } = sandboxOutcome(name, analysis.type)
  const mediumIds = media.map(({ mediumId }) => mediumId)
  const decision = typeof end === 'string' ? end : null
  const { evidence, reason } = findAnalysisKind(analysis).stage({ decision, code, mediumIds }, parameters)
  if (typeof end === 'string')
    return {
      outcome: { status: 'finished', decision: end, ...(reason === undefined ? {} : { reason }) },
      parameters,
      evidence,
    }
  const failure = { ...end, mediumId: lost.includes(end) ? null : (mediumIds[0] ?? null) }
  return { outcome: { status: 'failed', failure }, parameters, evidence }
}
