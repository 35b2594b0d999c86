import type { VerificationAnalysis } from '../../../analyses/verification/verification.ts'
import { comparisonView, confidenceRange, type SubjectView } from './subject-view.ts'

export const verificationView: SubjectView<VerificationAnalysis> = {
  word: 'BIOMETRY',
  results: ({ evidence }) => confidenceRange(evidence?.pairs.map(({ score }) => score) ?? []),
  mediumResults: () => null,
  persons: () => [],
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
