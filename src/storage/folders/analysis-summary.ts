/** A bit mask of the types and states of a folder's analyses, stored with the folder, so that lists need not read them. */
import { type AnalysisType, analysisKinds } from '../../analyses/registry.ts'

export const analysisTypes = Object.keys(analysisKinds) as AnalysisType[]
// The database stores these words as their indexes: add new ones at the end only, or with a migration.
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

const words: Readonly<Record<keyof Analysed, readonly string[]>> = {
  type: analysisTypes,
  state: states,
  resolutionStatus: resolutions,
}
/** The lowest bit of each field. */
const firstBit: Readonly<Record<keyof Analysed, number>> = {
  type: 0,
  state: analysisTypes.length,
  resolutionStatus: analysisTypes.length + states.length,
}

/** The bits of those words of a field that `isNamed` selects. */
export const wordsMask = (field: keyof Analysed, isNamed: (word: string) => boolean): number =>
  words[field].reduce(
    (bits, word, place) => (isNamed(word) ? bits | (1 << (firstBit[field] + place)) : bits),
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
