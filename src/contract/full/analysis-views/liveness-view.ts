import type {
  LivenessParameters,
  MediumChallenge,
  MediumLiveness,
} from '../../../analyses/liveness/decide.ts'
import type { LivenessAnalysis } from '../../../analyses/liveness/liveness.ts'
import type { JudgedStep } from '../../../decide/capture.ts'
import type { Json } from '../../spaced-json.ts'
import { round } from '../media-view.ts'
import type { JudgedScore, SubjectView } from './subject-view.ts'

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

/** JSON has no NaN, so what is stored is `null` there. */
const numberView = (value: number | null): Json =>
  value === null || Number.isNaN(value) ? null : round(value)

/** A measure in the notation of answers: `halfWidth` is `half_width`. */
const measureView = ([name, value]: [string, number | null]): [string, Json] => [
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  numberView(value),
]

const stepView = ({ step, status, reasons, advice, attack, measures }: JudgedStep): Json => ({
  step,
  status,
  reasons,
  advice: advice === '' ? null : advice,
  attack: numberView(attack),
  measures: Object.fromEntries(Object.entries(measures).map(measureView)),
})

/** Whether a capture answers its challenge; `[]` for media that did not come in a container. */
const challengeView = ({ mediumId, challenge }: MediumChallenge): Json[] =>
  challenge
    ? [
        {
          media_id: mediumId,
          status: challenge.status,
          reasons: challenge.reasons,
          ...(challenge.steps ? { steps: challenge.steps.map(stepView) } : {}),
        },
      ]
    : []

/** The thresholds of replay and liveness; without ones of their own, both are judged as part of the attack score. */
const thresholds = ({ thresholdSpoofing, thresholdReplay, thresholdLiveness }: LivenessParameters) => ({
  replay: thresholdReplay ?? thresholdSpoofing,
  liveness: thresholdLiveness ?? round(1 - thresholdSpoofing),
})

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
  scores({ evidence, parameters }, { showReplay, showLiveness }) {
    const { thresholdSpoofing, thresholdReplay, thresholdLiveness } = parameters
    const { replay, liveness } = thresholds(parameters)
    return (evidence?.results ?? []).flatMap((result): JudgedScore[] => {
      const mediumIds = [result.mediumId]
      const below = (name: string, score: number, threshold: number): JudgedScore => ({
        ...{ name, mediumIds, score, threshold, rule: 'below' },
        state: score < threshold ? 'met' : 'not met',
      })
      const shown = [below('confidence_spoofing', result.attack, thresholdSpoofing)]
      if (showReplay || thresholdReplay !== undefined)
        shown.push(below('confidence_replay', result.replay, replay))
      if (result.liveness !== null && (showLiveness || thresholdLiveness !== undefined)) {
        const state = result.liveness > liveness ? 'met' : 'not met'
        const judged = { score: result.liveness, rule: 'above', threshold: liveness, state } as const
        shown.push({ name: 'confidence_liveness', mediumIds, ...judged })
      }
      return shown
    })
  },
  confs: ({ parameters }) => ({
    threshold_replay: thresholds(parameters).replay,
    threshold_liveness: thresholds(parameters).liveness,
    threshold_spoofing: parameters.thresholdSpoofing,
    extract_best_shot: parameters.extractBestShot,
  }),
  technical({ evidence }) {
    const gestures = evidence?.results.flatMap(gestureView) ?? []
    const challenges = [...(evidence?.results ?? []), ...(evidence?.unclear ?? [])].flatMap(challengeView)
    return {
      ...(gestures.length === 0 ? {} : { gestures }),
      ...(challenges.length === 0 ? {} : { challenges }),
    }
  },
}
