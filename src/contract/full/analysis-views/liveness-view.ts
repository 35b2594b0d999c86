import type { MediumLiveness } from '../../../analyses/liveness/decide.ts'
import type { LivenessAnalysis } from '../../../analyses/liveness/liveness.ts'
import type { Json } from '../../spaced-json.ts'
import { round } from '../media-view.ts'
import type { SubjectView } from './subject-view.ts'

/** The result for the gesture that the tags of a clip request; `[]` for none. */
const gestureView = ({ mediumId, gesture }: MediumLiveness): Json[] =>
  gesture
    ? [
        {
          media_id: mediumId,
          gesture: gesture.name,
          performed: gesture.isPerformed,
          score: round(gesture.score),
          time: gesture.timeS,
        },
      ]
    : []

export const livenessView: SubjectView<LivenessAnalysis> = {
  word: 'QUALITY',
  synonym: 'LIVENESS',
  results({ evidence }) {
    const worst = evidence?.worstAttack ?? null
    return worst === null ? null : { confidence_spoofing: worst }
  },
  mediumResults({ evidence }, mediumId, options) {
    const result = evidence?.results.find((candidate) => candidate.mediumId === mediumId)
    if (!result) return null
    return {
      confidence_spoofing: result.attack,
      ...(options.showReplay ? { confidence_replay: result.replay } : {}),
      ...(options.showLiveness && result.liveness !== null ? { confidence_liveness: result.liveness } : {}),
    }
  },
  persons: () => [],
  // Without thresholds of their own, evidence of a screen and of movement is judged as part of the attack score.
  confs: ({ parameters: { thresholdSpoofing, thresholdReplay, thresholdLiveness, extractBestShot } }) => ({
    threshold_replay: thresholdReplay ?? thresholdSpoofing,
    threshold_liveness: thresholdLiveness ?? round(1 - thresholdSpoofing),
    threshold_spoofing: thresholdSpoofing,
    extract_best_shot: extractBestShot,
  }),
  technical({ evidence }) {
    const gestures = evidence?.results.flatMap(gestureView) ?? []
    return gestures.length === 0 ? {} : { gestures }
  },
}
