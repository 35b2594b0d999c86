import type { VerificationAnalysis } from '../../../analyses/verification/verification.ts'
import { decideMatch } from '../../../decide/match.ts'
import { comparisonView, confidenceRange, type SubjectView } from './subject-view.ts'

const states = { SUCCESS: 'met', DECLINED: 'not met', OPERATOR_REQUIRED: 'open' } as const

export const verificationView: SubjectView<VerificationAnalysis> = {
  word: 'BIOMETRY',
  results: ({ evidence }) => confidenceRange(evidence?.pairs.map(({ score }) => score) ?? []),
  mediumResults: () => null,
  persons: () => [],
  scores: ({ evidence, parameters: { band } }) =>
    (evidence?.pairs ?? []).map(({ mediumIds, score }) => ({
      name: 'confidence',
      mediumIds,
      score,
      rule: 'at least',
      threshold: band.max,
      state: states[decideMatch(score, band)],
    })),
  confs: ({ parameters: { band } }) => ({ threshold_min: band.min, threshold_max: band.max }),
  technical: ({ evidence }) =>
    evidence
      ? {
          cohort: evidence.cohortId,
          comparisons: evidence.pairs.map((pair) => ({
            media_ids: pair.mediumIds,
            ...comparisonView(pair),
          })),
        }
      : {},
}
