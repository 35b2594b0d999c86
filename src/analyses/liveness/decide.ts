import type { ClipFindings } from '../../assess/assessment.ts'
import { type DecidedMedium, type Failure, failures, type Outcome } from '../../decide/analysis.ts'
import {
  classifyMovement,
  findRequestedGesture,
  type RequestedGesture,
  scoreClipAttack,
} from '../../decide/clip-attack.ts'
import { checkIdentity, checkSample, type QualityGate } from '../../decide/sample.ts'
import { invariant } from '../../errors.ts'

export interface LivenessParameters {
  /** Samples with this attack score or a higher one are declined. */
  thresholdSpoofing: number
  /** Samples with this replay score or a higher one are declined too. Absent if the request names none. */
  thresholdReplay?: number
  /** Clips with this liveness score or a lower one are declined too. Absent if the request names none. */
  thresholdLiveness?: number
  extractBestShot: boolean
  /** Whether to return the full-size frame at the peak of the gesture. */
  extractActionShot: boolean
  gate: QualityGate
  /** Whether a clip is declined if the gesture in its tags is not performed. */
  gestureRequired: boolean
  /** Whether an analysis fails if a clip's movement is no evidence. */
  movementRequired: boolean
}

/** Scores of one medium. */
export interface MediumLiveness {
  mediumId: string
  /** 0 bona fide … 1 presentation attack: the highest score of frames, movement and identity. */
  attack: number
  replay: number
  /** Score that the face moves by itself, 0…1; `null` for photos, and if the movement is no evidence. */
  liveness: number | null
  /** `null` if no gesture was requested. */
  gesture: RequestedGesture | null
}

export interface LivenessVerdict {
  outcome: Outcome
  /** One for each medium that could be assessed. */
  media: readonly MediumLiveness[]
  /** Highest attack score; `null` if no medium could be assessed. */
  worstAttack: number | null
}

/**
 * Scores a photo or clip by its strongest evidence of an attack. Other evidence cannot compensate for it, because an attacker
 * chooses which checks to defeat.
 */
function scoreLiveness({ id, tags, assessment }: DecidedMedium): MediumLiveness {
  const pad = assessment.subject?.pad
  invariant(pad?.status === 'assessed', 'a liveness analysis needs media with PAD scores')
  const { clip } = assessment
  const seen = clip ? scoreClipAttack(clip) : { movement: null, identitySwitch: null }
  return {
    mediumId: id,
    attack: Math.max(pad.attack, seen.movement ?? 0, seen.identitySwitch ?? 0),
    replay: pad.replay,
    liveness:
      seen.movement === null || classifyMovement(clip!.movement) === 'nothing' ? null : 1 - seen.movement,
    gesture: findRequestedGesture(tags, clip),
  }
}

/** Fewer frames cannot show movement. */
const clipFramesMin = 5
/** Minimum share of frames with a face: without this bound, empty frames would reduce the number of key frames. */
const faceShareMin = 0.5

/** Whether a clip is an archive of one picture, which counts as that picture. */
const isPicture = ({ frames, timing }: ClipFindings): boolean => frames === 1 && timing === null

/**
 * Checks whether the movement of a clip could be measured; otherwise an attacker would only have to step back. If a face holds
 * still, the frames alone decide, unless movement is required.
 */
function checkMovement({ id, assessment: { clip } }: DecidedMedium, isRequired: boolean): Failure | null {
  if (!clip || isPicture(clip)) return null
  const fail = (failure: { code: number; message: string }): Failure => ({ ...failure, mediumId: id })
  if (clip.frames < clipFramesMin) return fail(failures.tooFewFrames)
  if (clip.frames - clip.framesWithoutFace < clip.frames * faceShareMin) return fail(failures.faceTooSeldom)
  const { status } = clip.movement
  if (status === 'too_small') return fail(failures.faceTooSmall)
  if (status === 'too_few') return fail(failures.faceTooSeldom)
  return isRequired && classifyMovement(clip.movement) === 'nothing' ? fail(failures.still) : null
}

/** Whether all scores of a medium are on the bona fide side of their thresholds. `NaN` is no pass. */
function isBonaFide({ attack, replay, liveness }: MediumLiveness, thresholds: LivenessParameters): boolean {
  const { thresholdSpoofing, thresholdReplay, thresholdLiveness } = thresholds
  return (
    attack < thresholdSpoofing &&
    (thresholdReplay === undefined || replay < thresholdReplay) &&
    (thresholdLiveness === undefined || liveness === null || liveness > thresholdLiveness)
  )
}

/**
 * Decides liveness: every medium must be a bona fide sample. One attack declines the analysis. One medium that cannot be
 * decided on fails it, so that nobody passes by adding an empty picture.
 */
export function decideLiveness(
  media: readonly DecidedMedium[],
  parameters: LivenessParameters,
): LivenessVerdict {
  const { gate, gestureRequired, movementRequired } = parameters
  const scores: MediumLiveness[] = []
  let failure = null
  for (const medium of media) {
    const problem =
      checkSample(medium, gate, 'liveness') ??
      checkMovement(medium, movementRequired) ??
      checkIdentity(medium)
    failure ??= problem
    if (!problem) scores.push(scoreLiveness(medium))
  }
  const worstAttack = scores.length === 0 ? null : Math.max(...scores.map(({ attack }) => attack))
  if (failure) return { outcome: { status: 'failed', failure }, media: scores, worstAttack }
  const isPassed = scores.length > 0 && scores.every((score) => isBonaFide(score, parameters))
  const isMissed = gestureRequired && scores.some(({ gesture }) => gesture && !gesture.isPerformed)
  return {
    outcome: { status: 'finished', decision: isPassed && !isMissed ? 'SUCCESS' : 'DECLINED' },
    media: scores,
    worstAttack,
  }
}
