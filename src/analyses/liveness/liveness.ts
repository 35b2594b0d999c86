import { isDocument } from '../../decide/analysis.ts'
import { judgeCaptureInPieces } from '../../decide/capture.ts'
import { findTaggedGesture } from '../../decide/clip-attack.ts'
import { loopTurns } from '../../queue/loop-turns.ts'
import type { AnalysisKind, SubjectOf } from '../analysis-kind.ts'
import { selectMedia } from '../select-media.ts'
import {
  decideLiveness,
  explainChallenge,
  findOmissions,
  type LivenessParameters,
  type MediumChallenge,
  type MediumLiveness,
  scoreParts,
} from './decide.ts'
import { stageMedium } from './staged.ts'

export type LivenessAnalysis = SubjectOf<
  'liveness',
  LivenessParameters,
  {
    results: readonly MediumLiveness[]
    /** Media that failed by their challenge alone; absent for none. */
    unclear?: readonly MediumChallenge[]
    /** Highest attack score; `null` if no medium could be assessed. */
    worstAttack: number | null
  }
>

/** Presentation attack detection: whether media show live persons in front of the camera. */
export const liveness: AnalysisKind<LivenessAnalysis> = {
  type: 'liveness',
  open: (
    { extractBestShot, extractActionShot, ...asked },
    { gate, gestureRequired, movementRequired, challengeRequired, ...rules },
  ) => ({
    type: 'liveness',
    parameters: {
      thresholdSpoofing: asked.thresholdSpoofing ?? rules.thresholdSpoofing,
      ...(asked.thresholdReplay === undefined ? {} : { thresholdReplay: asked.thresholdReplay }),
      ...(asked.thresholdLiveness === undefined ? {} : { thresholdLiveness: asked.thresholdLiveness }),
      extractBestShot,
      extractActionShot,
      gate,
      gestureRequired,
      movementRequired,
      challengeRequired,
    },
    evidence: null,
  }),
  // Liveness does not apply to photographed documents, even if they are listed.
  select: (media, named) => selectMedia(named ?? media, (tags) => !isDocument(tags)),
  wants({ extractBestShot, extractActionShot }, tags) {
    const gesture = findTaggedGesture(tags)
    return {
      pad: true,
      bestShot: extractBestShot,
      ...(gesture && extractActionShot ? { actionShot: gesture } : {}),
    }
  },
  shots: ({ extractBestShot, extractActionShot }) => ({ best: extractBestShot, action: extractActionShot }),
  decisiveScore: ({ worstAttack }) => worstAttack,
  parts({ id, assessment }, { parameters, evidence: { results, unclear = [] } }) {
    const judged = [...results, ...unclear].find(({ mediumId }) => mediumId === id)
    return scoreParts(assessment, (parameters.challengeRequired && judged?.challenge) || null)
  },
  explain({ evidence, parameters }) {
    // Results of version 1.0 have no reasons, but tell what was asked for and not shown.
    const found = (evidence?.results ?? []).flatMap((result) =>
      (result.reasons ?? findOmissions(result, parameters)).map((code) => ({
        code,
        mediumIds: [result.mediumId],
      })),
    )
    return found.length > 0 ? found : [{ code: 'attack_suspected', mediumIds: [] }]
  },
  stage({ decision, code, mediumIds }) {
    if (decision === null) return { evidence: { results: [], worstAttack: null } }
    const results = mediumIds.map((id) => stageMedium(id, code))
    const reason = explainChallenge(results)
    return { evidence: { results, worstAttack: results[0]!.attack }, ...(reason === null ? {} : { reason }) }
  },
  networks: ({ detector, landmarks, pad }) => [detector, landmarks, ...pad],
  async decide(_, media, parameters) {
    // Others have their turn while light is measured; the decision then knows the verdicts.
    const turn = loopTurns()
    for (const { capture, assessment, durationS } of media) {
      if (!capture) continue
      for (const _ of judgeCaptureInPieces(capture, assessment.clip, durationS ?? null)) await turn()
    }
    const { outcome, media: results, unclear, worstAttack } = decideLiveness(media, parameters)
    const evidence = { results, worstAttack, ...(unclear.length === 0 ? {} : { unclear }) }
    return { outcome, parameters, evidence }
  },
}
