/** The trail of decisions of a folder. */
import { wireType } from '../contract/full/analysis-views/registry.ts'
import type { AnalysisRecord } from '../records/analysis.ts'
import type { FolderRecord } from '../records/folder.ts'
import type { ReportDecision } from './report.ts'
import { formatTime, shorten } from './texts.ts'

interface Entry extends Omit<ReportDecision, 'time'> {
  /** `null` if it is not recorded. */
  atMs: number | null
}

const service = 'service'
const describeUser = (id: string | null): string => (id ? `user ${id}` : 'not recorded')

function ofAnalysis(analysis: AnalysisRecord, index: number, { userId }: FolderRecord): Entry[] {
  const { outcome, operator } = analysis
  const name = `analysis ${index + 1} (${wireType(analysis.type)})`
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
  const ended = {
    atMs: operator ? null : analysis.updatedAtMs,
    who: service,
    what: `Decided ${name}: ${verdict}`,
    comment,
  }
  if (!operator) return [requested, ended]
  return [
    requested,
    ended,
    {
      atMs: operator.atMs,
      who: describeUser(operator.authorId),
      what: `Decided ${name} as operator: ${operator.decision}`,
      comment: shorten(operator.comment),
    },
  ]
}

/**
 * Who did what, in the order of time. What has no recorded time stands after what came before it. The user who requested an
 * analysis is the owner of the folder.
 */
export function listDecisions(folder: FolderRecord): ReportDecision[] {
  const { review } = folder
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
  ]
  if (review.atMs !== null)
    entries.push({
      atMs: review.atMs,
      who: describeUser(review.authorId),
      what: `Reviewed the folder: ${shorten(review.status ?? 'no status')}`,
      comment: shorten(review.comment ?? ''),
    })
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
