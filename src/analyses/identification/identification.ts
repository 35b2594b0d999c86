import type { Reason } from '../../decide/reasons.ts'
import { invariant } from '../../errors.ts'
import type { AnalysisKind, SubjectOf } from '../analysis-kind.ts'
import { canShowPortrait, selectMedia } from '../select-media.ts'
import type { IdentificationParameters, MediumHits } from './decide.ts'
import { searchCollection } from './search.ts'

export type IdentificationAnalysis = SubjectOf<
  'identification',
  IdentificationParameters,
  {
    found: readonly MediumHits[]
    /** Whether all persons of the collection could be compared. */
    isComplete: boolean
    cohortId: string
  }
>

/** 1:N: whether the subjects of media are among the persons of a collection. */
export const identification: AnalysisKind<IdentificationAnalysis> = {
  type: 'identification',
  open({ search, band }, { gate }) {
    invariant(search?.collectionId, 'an identification knows where to look')
    const { collectionId, countMax, falseHitsMax } = search
    return {
      type: 'identification',
      parameters: { collectionId, band, countMax, falseHitsMax, gate },
      evidence: null,
    }
  },
  select: (media, named) => selectMedia(named ?? media, canShowPortrait),
  wants: () => ({ template: true }),
  shots: () => ({ best: false, action: false }),
  decisiveScore({ found }) {
    const scores = found.flatMap(({ hits }) => hits.map(({ score }) => score))
    return scores.length > 0 ? Math.max(...scores) : null
  },
  explain({ evidence, parameters: { band } }, decision) {
    const code = decision === 'DECLINED' ? 'person_listed' : 'similar_person_listed'
    const reached = decision === 'DECLINED' ? band.max : band.min
    const mediumIds = (evidence?.found ?? []).flatMap(({ mediumId, hits }) =>
      hits.some(({ score }) => score >= reached) ? mediumId : [],
    )
    const incomplete: Reason[] =
      evidence?.isComplete === false ? [{ code: 'collection_incomplete', mediumIds: [] }] : []
    return mediumIds.length === 0 && incomplete.length > 0 ? incomplete : [{ code, mediumIds }, ...incomplete]
  },
  stage: ({ code, decision, mediumIds }) => ({
    evidence: {
      // Nobody was compared, so there is no person to name.
      found: decision === null ? [] : mediumIds.map((mediumId) => ({ mediumId, hits: [] })),
      isComplete: decision !== null && code !== 'collection_incomplete',
      cohortId: 'sandbox',
    },
  }),
  networks: ({ detector, landmarks, template }) => [detector, landmarks, template],
  async decide(deps, media, parameters) {
    const { outcome, band, found, isComplete } = await searchCollection(deps, media, parameters)
    return {
      outcome,
      parameters: { ...parameters, band },
      evidence: { found, isComplete, cohortId: deps.cohort.id },
    }
  },
}
