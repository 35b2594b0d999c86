/** A bit mask of the types and states of a folder's analyses, stored with the folder, so that lists need not read them. */
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

interface Analysed {
  type: AnalysisType
  state: (typeof states)[number]
  resolutionStatus: (typeof resolutions)[number]
}

const toBits = (field: keyof Analysed, words: readonly string[]) => words.map((word) => ({ field, word }))

/** The types that existed when masks were first stored. */
const firstTypesCount = 4

// In the order of their bits, which stored masks rely on. Types added later follow all other words, whose bits stay in place.
// A new state or resolution moves the bits of others: it needs a migration.
const bits = [
  ...toBits('type', analysisTypes.slice(0, firstTypesCount)),
  ...toBits('state', states),
  ...toBits('resolutionStatus', resolutions),
  ...toBits('type', analysisTypes.slice(firstTypesCount)),
]

/** The bits of those words of a field that `isNamed` selects. */
export const wordsMask = (field: keyof Analysed, isNamed: (word: string) => boolean): number =>
  bits.reduce(
    (mask, bit, place) => (bit.field === field && isNamed(bit.word) ? mask | (1 << place) : mask),
    0,
  )

/** One bit for each word that at least one of the analyses has. */
export const analysisSummaryMask = (analyses: readonly Analysed[]): number =>
  analyses.reduce(
    (bits, analysis) =>
      bits |
      wordsMask('type', (word) => word === analysis.type) |
      wordsMask('state', (word) => word === analysis.state) |
      wordsMask('resolutionStatus', (word) => word === analysis.resolutionStatus),
    0,
  )
