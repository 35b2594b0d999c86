/** A bit mask of the types and verdicts of a folder's analyses, stored with the folder, so that lists need not read them. */
import { type AnalysisType, analysisKinds } from '../../analyses/registry.ts'

export const analysisTypes = Object.keys(analysisKinds) as AnalysisType[]
// The database stores these words as their indexes: add new ones at the end only.
export const states = ['FAILED', 'FINISHED', 'PROCESSING'] as const
export const resolutions = [
  'DECLINED',
  'FAILED',
  'FINISHED',
  'INITIAL',
  'OPERATOR_REQUIRED',
  'PROCESSING',
  'SUCCESS',
] as const

/** The words of an analysis that lists filter by. */
export interface Analysed {
  type: AnalysisType
  state: (typeof states)[number]
  resolutionStatus: (typeof resolutions)[number]
}

/** The resolutions that an analysis may have, each with the state that it implies. Folders have others too. */
const verdicts = [
  { resolutionStatus: 'DECLINED', state: 'FINISHED' },
  { resolutionStatus: 'FAILED', state: 'FAILED' },
  { resolutionStatus: 'OPERATOR_REQUIRED', state: 'FINISHED' },
  { resolutionStatus: 'PROCESSING', state: 'PROCESSING' },
  { resolutionStatus: 'SUCCESS', state: 'FINISHED' },
] as const satisfies Omit<Analysed, 'type'>[]

// In the order of their bits, which stored masks rely on: those of new types follow. Another verdict needs a migration.
const kinds: readonly Analysed[] = analysisTypes.flatMap((type) =>
  verdicts.map((verdict) => ({ type, ...verdict })),
)

/** The bits of those pairs of type and verdict that are selected. A sum, since more than six types need more than 31 bits. */
export const summaryMask = (isSelected: (kind: Analysed) => boolean): number =>
  kinds.reduce((mask, kind, place) => (isSelected(kind) ? mask + 2 ** place : mask), 0)

/** One bit for each pair of type and verdict that at least one of the analyses has. */
export const analysisSummaryMask = (analyses: readonly Omit<Analysed, 'state'>[]): number =>
  summaryMask((kind) =>
    analyses.some(
      ({ type, resolutionStatus }) => type === kind.type && resolutionStatus === kind.resolutionStatus,
    ),
  )
