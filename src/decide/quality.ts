import { invariant } from '../errors.ts'
import { type DecidedMedium, type Failure, failures, type Outcome } from './analysis.ts'
import { type AskedGesture, askedGesture, clipAttack } from './clip-attack.ts'
import { identityFailure, type QualityGate, sampleFailure } from './sample.ts'

export interface QualityParameters {
  /** Attack score from which a sample is declined. */
  thresholdSpoofing: number
  extractBestShot: boolean
  /** Also the full-size frame at the peak of the gesture. */
  extractActionShot: boolean
  gate: QualityGate
  /** A clip whose tagged gesture is not performed is declined. */
  gestureRequired: boolean
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
  gesture: AskedGesture | null
}

export interface QualityVerdict {
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
function livenessOf({ id, tags, assessment }: DecidedMedium): MediumLiveness {
  const pad = assessment.subject?.pad
  invariant(pad?.status === 'assessed', 'a liveness analysis needs media with PAD scores')
  const { clip } = assessment
  const seen = clip ? clipAttack(clip) : { flat: null, swap: null }
  return {
    mediumId: id,
    attack: Math.max(pad.attack, seen.flat ?? 0, seen.swap ?? 0),
    replay: pad.replay,
    liveness: seen.flat === null ? null : 1 - seen.flat,
    gesture: askedGesture(tags, clip),
  }
}

/** Fewer frames than a clip has are so many photos. */
const clipFramesMin = 5

/** What cannot be told of a clip is no pass: else an attacker would only have to step back. */
function clipFailure({ id, assessment }: DecidedMedium): Failure | null {
  const { clip } = assessment
  const isUnclear = clip !== null && clip.frames >= clipFramesMin && clip.change === null
  return isUnclear ? { ...failures.unclear, mediumId: id } : null
}

/**
 * Liveness: every medium must be a bona fide sample. One attack declines all; one medium that cannot be decided on fails
 * all, since nobody may pass by adding an empty picture.
 */
export function decideQuality(
  media: readonly DecidedMedium[],
  { thresholdSpoofing, gate, gestureRequired }: QualityParameters,
): QualityVerdict {
  const scores: MediumLiveness[] = []
  let failure = null
  for (const medium of media) {
    const problem = sampleFailure(medium, gate) ?? clipFailure(medium) ?? identityFailure(medium)
    failure ??= problem
    if (!problem) scores.push(livenessOf(medium))
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
