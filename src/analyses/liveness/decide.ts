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
  /** Attack score from which a sample is declined. */
  thresholdSpoofing: number
  extractBestShot: boolean
  /** Also the full-size frame at the peak of the gesture. */
  extractActionShot: boolean
  gate: QualityGate
  /** A clip whose tagged gesture is not performed is declined. */
  gestureRequired: boolean
  /** A clip in which nothing moves that tells anything fails. */
  movementRequired: boolean
}

/** Scores of one medium. */
export interface MediumLiveness {
  mediumId: string
  /** 0 bona fide … 1 presentation attack: the highest of what the frames, the movement and the identity say. */
  attack: number
  replay: number
  /** That the face moves by itself, 0…1; `null` for photos and where it cannot be told. */
  liveness: number | null
  /** `null` where none was asked for. */
  gesture: RequestedGesture | null
}

export interface LivenessVerdict {
  outcome: Outcome
  /** One for each medium that could be assessed. */
  media: readonly MediumLiveness[]
  /** Highest attack score, `null` when no medium could be assessed. */
  worstAttack: number | null
}

/**
 * One rule for photos and clips: a sample is as much of an attack as the gravest thing it shows. No single piece of evidence
 * can be outweighed by the others, since an attacker picks the one to defeat.
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

/** Fewer show no movement. */
const clipFramesMin = 5
/** Share of the frames that must show the face: those without one would thin out the frames that are looked at closely. */
const faceShareMin = 0.5

/** An archive of one picture counts as that picture. */
const isPicture = ({ frames, timing }: ClipFindings): boolean => frames === 1 && timing === null

/**
 * What nobody could look at is no pass: else an attacker would only have to step back. A face that holds still was looked at,
 * and leaves the verdict to the frames where nobody asks for more.
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

/**
 * Liveness: every medium must be a bona fide sample. One attack declines all; one medium that cannot be decided on fails
 * all, since nobody may pass by adding an empty picture.
 */
export function decideLiveness(
  media: readonly DecidedMedium[],
  { thresholdSpoofing, gate, gestureRequired, movementRequired }: LivenessParameters,
): LivenessVerdict {
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
  // Whatever is no number is no pass.
  const isBonaFide = worstAttack !== null && worstAttack < thresholdSpoofing
  const isMissed = gestureRequired && scores.some(({ gesture }) => gesture && !gesture.isPerformed)
  return {
    outcome: { status: 'finished', decision: isBonaFide && !isMissed ? 'SUCCESS' : 'DECLINED' },
    media: scores,
    worstAttack,
  }
}
