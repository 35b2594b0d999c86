/** The wire name and the view of each type of analysis. */
import type { AnalysisSubject, AnalysisType } from '../../../analyses/registry.ts'
import { documentsView } from './documents-view.ts'
import { identificationView } from './identification-view.ts'
import { livenessView } from './liveness-view.ts'
import type { SubjectView } from './subject-view.ts'
import { verificationView } from './verification-view.ts'

const views: { [Type in AnalysisType]: SubjectView<Extract<AnalysisSubject, { type: Type }>> } = {
  liveness: livenessView,
  verification: verificationView,
  identification: identificationView,
  documents: documentsView,
}

/**
 * The view of an analysis, which shows analyses of that type alone. Scores are 0…1, as the contract has them.
 * @example
 * ```ts
 * import { typesByWord, findAnalysisView, wireType } from './registry.ts'
 *
 * const analysis = {
 *   type: typesByWord.BIOMETRY as 'verification',
 *   parameters: { band: { min: 0.5, max: 0.85 }, gate: 'record' as const },
 *   evidence: null,
 * }
 * wireType(analysis.type) // → 'BIOMETRY'
 * findAnalysisView(analysis).confs(analysis) // → { threshold_min: 0.5, threshold_max: 0.85 }
 * findAnalysisView(analysis).results(analysis) // → null
 * ```
 */
export const findAnalysisView = ({ type }: { type: AnalysisType }): SubjectView<AnalysisSubject> =>
  views[type] as SubjectView<AnalysisSubject>

/** The word that answers use. */
export const wireType = (type: AnalysisType): string => views[type].word

/** The names of types in answers. */
export const wireTypes: readonly string[] = Object.values(views).map(({ word }) => word)

/** Types by their names in requests, in upper case. */
export const typesByWord: Readonly<Record<string, AnalysisType>> = Object.fromEntries(
  Object.entries(views).flatMap(([type, { word, synonym }]) =>
    [word, synonym].flatMap((name) => (name === undefined ? [] : [[name, type as AnalysisType]])),
  ),
)
