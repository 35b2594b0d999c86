import type { IdentificationAnalysis } from '../../../analyses/identification/identification.ts'
import { decideMatch } from '../../../decide/match.ts'
import { comparisonView, confidenceRange, type SubjectView } from './subject-view.ts'

export const identificationView: SubjectView<IdentificationAnalysis> = {
  word: 'COLLECTION',
  // The best hit of each medium with hits.
  results: ({ evidence }) =>
    confidenceRange(evidence?.found.flatMap(({ hits: [best] }) => (best ? [best.score] : [])) ?? []),
  mediumResults: () => null,
  persons({ evidence, parameters }, mediumId) {
    const found = evidence?.found.find((candidate) => candidate.mediumId === mediumId)
    return (found?.hits ?? []).map((hit) => ({
      person_id: hit.personId,
      collection_id: parameters.collectionId,
      confidence: hit.score,
      person_image_id: hit.imageId,
      media_id: hit.imageId,
    }))
  },
  // A hit declines; inside the band an operator decides.
  scores: ({ evidence, parameters: { band } }) =>
    (evidence?.found ?? []).flatMap(({ mediumId, hits }) =>
      hits.map(({ personId, score }) => ({
        name: 'confidence',
        mediumIds: [mediumId],
        personId,
        score,
        rule: 'below',
        threshold: band.min,
        state: decideMatch(score, band) === 'SUCCESS' ? 'not met' : 'open',
      })),
    ),
  confs: ({ parameters: { collectionId, countMax, band } }) => ({
    collection_id: collectionId,
    decision_count: countMax,
    decision_threshold: band.max,
    threshold_min: band.min,
    threshold_max: band.max,
  }),
  technical: ({ evidence }) =>
    evidence
      ? {
          cohort: evidence.cohortId,
          collection_complete: evidence.isComplete,
          comparisons: evidence.found.flatMap(({ mediumId, hits }) =>
            hits.map((hit) => ({ media_ids: [mediumId, hit.imageId], ...comparisonView(hit) })),
          ),
        }
      : {},
}
