/** The trail of decisions of a folder. */
import type { AnalysisRecord } from '../records/analysis.ts'
import type { DecisionRecord } from '../records/decision.ts'
import type { FolderRecord } from '../records/folder.ts'
import type { ReportDecision } from './report.ts'
import { analysisTitles, describeVerdict, formatTime, shorten } from './texts.ts'

interface Entry extends Omit<ReportDecision, 'time'> {
  /** `null` if it is not recorded. */
  atMs: number | null
}

const service = 'service'
export const describeUser = (id: string | null): string => (id ? `user ${id}` : 'not recorded')

const nameAnalysis = ({ type }: AnalysisRecord, index: number): string =>
  `analysis ${index + 1} (${analysisTitles[type]})`

function ofAnalysis(analysis: AnalysisRecord, index: number, { userId }: FolderRecord): Entry[] {
  const { outcome, operator } = analysis
  const name = nameAnalysis(analysis, index)
  const requested = {
    atMs: analysis.createdAtMs,
    who: describeUser(userId),
    what: `Requested ${name}`,
    comment: '',
  }
  if (outcome.status === 'processing') return [requested]
  const verdict = outcome.status === 'finished' ? outcome.decision : 'FAILED'
  const comment = outcome.status === 'failed' ? outcome.failure.message : ''
  // A decision changes the analysis: afterwards it is not known when the service decided.
  return [
    requested,
    {
      atMs: operator ? null : analysis.updatedAtMs,
      who: service,
      what: `Decided ${name}: ${describeVerdict(verdict)}`,
      comment,
    },
  ]
}

function ofOperator(decision: DecisionRecord, { analyses }: FolderRecord): Entry {
  const { analysisIds, status, reason, isEffective } = decision
  const entry = {
    atMs: decision.atMs,
    who: describeUser(decision.authorId),
    comment: shorten(decision.comment),
  }
  const names = analysisIds.map((id) => {
    const index = analyses.findIndex((analysis) => analysis.id === id)
    return index < 0 ? 'a removed analysis' : nameAnalysis(analyses[index]!, index)
  })
  const what = [
    names.length === 0
      ? `Reviewed the folder: ${status === null ? 'no status' : describeVerdict(status)}`
      : `Decided ${names.join(', ')} as operator: ${describeVerdict(status ?? '')}`,
    ...(reason === null ? [] : [`reason: ${reason.replaceAll('_', ' ')}`]),
    ...(isEffective ? [] : ['without effect until a second person agrees']),
  ]
  return { ...entry, what: what.join(', ') }
}

/**
 * Who did what, in the order of time. What has no recorded time stands after what came before it. The user who requested an
 * analysis is the owner of the folder.
 * @param decisions of operators, the oldest first
 */
export function listDecisions(folder: FolderRecord, decisions: readonly DecisionRecord[]): ReportDecision[] {
  const owner = describeUser(folder.userId)
  const entries: Entry[] = [
    { atMs: folder.createdAtMs, who: owner, what: 'Created the folder', comment: '' },
    ...folder.media.map(
      ({ createdAtMs }, index): Entry => ({
        atMs: createdAtMs,
        who: owner,
        what: `Added medium ${index + 1}`,
        comment: '',
      }),
    ),
    ...folder.analyses.flatMap((analysis, index) => ofAnalysis(analysis, index, folder)),
    ...decisions.map((decision) => ofOperator(decision, folder)),
  ]
  let latest = folder.createdAtMs
  const placed = entries.map((entry) => {
    const place = entry.atMs ?? latest
    latest = place
    return { entry, place }
  })
  return placed
    .sort((a, b) => a.place - b.place)
    .map(({ entry: { atMs, ...entry } }) => ({
      time: atMs === null ? 'not recorded' : formatTime(atMs),
      ...entry,
    }))
}
