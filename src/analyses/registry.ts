/** All types of analyses. A new type needs a folder here, a line in this file, and a view in `contract/`. */
import type { AnalysisKind } from './analysis-kind.ts'
import { documents } from './documents/documents.ts'
import { identification } from './identification/identification.ts'
import { liveness } from './liveness/liveness.ts'
import { verification } from './verification/verification.ts'

// The database stores a type by its position here: add new types at the end, or write a migration.
export const analysisKinds = { verification, identification, documents, liveness }

/** Liveness, verification, identification or documents, as it is called inside; the wire has other words for it. */
export type AnalysisType = keyof typeof analysisKinds

type SubjectOfKind<Kind> = Kind extends AnalysisKind<infer Subject> ? Subject : never

/** The type-dependent part of any analysis. */
export type AnalysisSubject = SubjectOfKind<(typeof analysisKinds)[AnalysisType]>

/**
 * The kind of an analysis. Pass it only parameters of analyses of the same type.
 * @example
 * ```ts
 * import { findAnalysisKind } from './registry.ts'
 *
 * const liveness = findAnalysisKind({ type: 'liveness' })
 * const { parameters } = liveness.open(
 *   { thresholdSpoofing: null, band: { min: 0.85, max: 0.85 }, extractBestShot: true, extractActionShot: false },
 *   { thresholdSpoofing: 0.5, gate: 'record', gestureRequired: false, movementRequired: false, challengeRequired: false, documents: true, documentTags: true },
 * )
 * liveness.wants(parameters, ['photo_selfie']) // → { pad: true, bestShot: true }
 * liveness.select([{ tags: ['photo_selfie'] }, { tags: ['photo_id_front'] }], null) // → [{ tags: ['photo_selfie'] }]
 * ```
 */
export const findAnalysisKind = ({ type }: { type: AnalysisType }): AnalysisKind<AnalysisSubject> =>
  analysisKinds[type] as AnalysisKind<never> as unknown as AnalysisKind<AnalysisSubject>
