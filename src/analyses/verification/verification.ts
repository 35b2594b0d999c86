import type { Decision } from '../../decide/analysis.ts'
import { AppError } from '../../errors.ts'
import type { AnalysisKind, SubjectOf } from '../analysis-kind.ts'
import { canShowPortrait, selectMedia } from '../select-media.ts'
import { type ComparedPair, decideVerification, type VerificationParameters } from './decide.ts'

export type VerificationAnalysis = SubjectOf<
  'verification',
  VerificationParameters,
  { pairs: readonly ComparedPair[]; cohortId: string }
>

/** Made-up comparisons by their decision. */
const staged = {
  SUCCESS: { score: 0.99, distance: 0.5, normalisedDistance: -0.5 },
  OPERATOR_REQUIRED: { score: 0.5, distance: 0.9, normalisedDistance: 0.1 },
  DECLINED: { score: 0.01, distance: 1.3, normalisedDistance: 0.5 },
}

/** 1:1: whether media show the same person. */
export const verification: AnalysisKind<VerificationAnalysis> = {
  type: 'verification',
  open: ({ band }, { gate }) => ({ type: 'verification', parameters: { band, gate }, evidence: null }),
  select(media, named) {
    // The back of a document is compared if it is listed explicitly.
    const selected = named ? selectMedia(named, () => true) : selectMedia(media, canShowPortrait)
    if (selected.length < 2)
      throw new AppError('value_invalid', 'Biometry analysis needs at least two media with a face')
    return selected
  },
  wants: () => ({ template: true }),
  shots: () => ({ best: false, action: false }),
  decisiveScore: ({ pairs }) => (pairs.length > 0 ? Math.min(...pairs.map(({ score }) => score)) : null),
  explain({ evidence }, decision) {
    const [least] = [...(evidence?.pairs ?? [])].sort((a, b) => a.score - b.score)
    const code = decision === 'DECLINED' ? 'different_people' : 'similarity_uncertain'
    return [{ code, mediumIds: least?.mediumIds ?? [] }]
  },
  stage({ decision, mediumIds }) {
    const pairs = mediumIds.flatMap((first, index) =>
      mediumIds.slice(index + 1).map((second) => [first, second] as const),
    )
    const compare = (compared: Decision) => pairs.map((pair) => ({ ...staged[compared], mediumIds: pair }))
    return { evidence: { pairs: decision === null ? [] : compare(decision), cohortId: 'sandbox' } }
  },
  networks: ({ detector, landmarks, template }) => [detector, landmarks, template],
  async decide({ cohort }, media, parameters) {
    const { outcome, pairs } = decideVerification(cohort, media, parameters)
    return { outcome, parameters, evidence: { pairs, cohortId: cohort.id } }
  },
}
