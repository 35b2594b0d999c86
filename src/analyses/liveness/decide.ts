import type { Findings } from '../../assess/assessment.ts'
import { type DecidedMedium, type Failure, failures, type Outcome } from '../../decide/analysis.ts'
import { type CaptureVerdict, judgeCapture, scoreChallenge } from '../../decide/capture.ts'
import { describeUnclear } from '../../decide/challenge/unclear.ts'
import {
  classifyMovement,
  describeSmallFace,
  findRequestedGesture,
  type MovementClass,
  type RequestedGesture,
  scoreClipAttack,
} from '../../decide/clip-attack.ts'
import type { ReasonCode } from '../../decide/reasons.ts'
import {
  checkIdentity,
  checkJudgeable,
  checkSample,
  findPoorReasons,
  type QualityGate,
} from '../../decide/sample.ts'
import { invariant } from '../../errors.ts'

export interface LivenessParameters {
  /** Samples with this attack score or a higher one are declined. */
  thresholdSpoofing: number
  /** Samples with this replay score or a higher one are declined too. Absent if the request names none. */
  thresholdReplay?: number
  /** Clips with this liveness score or a lower one are declined too. Absent if the request names none. */
  thresholdLiveness?: number
  extractBestShot: boolean
  /** Whether to return the full-size frame at the peak of the gesture, if it is performed. */
  extractActionShot: boolean
  gate: QualityGate
  /** Whether a clip is declined if the gesture in its tags is not performed. */
  gestureRequired: boolean
  /** Whether an analysis fails if a medium's movement is no evidence, as that of any picture. */
  movementRequired: boolean
  /** Whether a medium passes only if its capture answers a challenge. */
  challengeRequired: boolean
}

/** Whether the capture of a medium answers its challenge. */
export interface MediumChallenge {
  mediumId: string
  /** Absent if that does not matter: not required, and not sent in a container. */
  challenge?: CaptureVerdict
}

/** Scores of one medium. */
export interface MediumLiveness extends MediumChallenge {
  /** 0 bona fide … 1 presentation attack: the highest score of its parts. */
  attack: number
  replay: number
  /** Score that the face moves by itself, 0…1; `null` for photos, and if the movement is no evidence. */
  liveness: number | null
  /** `null` if no gesture was requested. */
  gesture: RequestedGesture | null
  /** Why it is declined, with the defects of its sample; absent if it passes. */
  reasons?: readonly ReasonCode[]
}

interface LivenessVerdict {
  outcome: Outcome
  /** One for each medium that could be assessed. */
  media: readonly MediumLiveness[]
  /** Media that fail by their challenge alone. */
  unclear: readonly MediumChallenge[]
  /** Highest attack score; `null` if no medium could be assessed. */
  worstAttack: number | null
}

/** Attack scores of a medium by their evidence; `null` where there is none. */
interface LivenessParts extends Readonly<Record<string, number | null>> {
  frames: number | null
  movement: number | null
  identity: number | null
}

/** @param challenge of a medium whose challenge is required; `null` for others, whose challenges count for nothing */
export function scoreParts({ subject, clip }: Findings, challenge: CaptureVerdict | null): LivenessParts {
  const { movement, identitySwitch } = clip ? scoreClipAttack(clip) : { movement: null, identitySwitch: null }
  const frames = subject?.pad.status === 'assessed' ? subject.pad.attack : null
  return {
    ...{ frames, movement, identity: identitySwitch },
    ...(challenge ? { challenge: scoreChallenge(challenge) } : {}),
  }
}

/**
 * Scores a photo or clip by its strongest evidence of an attack. Other evidence cannot compensate for it, because an attacker
 * chooses which checks to defeat.
 */
function scoreLiveness(
  { id, tags, assessment }: DecidedMedium,
  parts: LivenessParts,
  challenge: CaptureVerdict | null,
): MediumLiveness {
  const pad = assessment.subject?.pad
  invariant(pad?.status === 'assessed', 'a liveness analysis needs media with PAD scores')
  const { clip } = assessment
  const { movement } = parts
  return {
    mediumId: id,
    attack: Math.max(...Object.values(parts).map((score) => score ?? 0)),
    replay: pad.replay,
    liveness: movement === null || classifyMovement(clip!.movement) === 'nothing' ? null : 1 - movement,
    gesture: findRequestedGesture(tags, clip),
    ...(challenge ? { challenge } : {}),
  }
}

/**
 * A medium without evidence, or whose evidence does not tell, cannot be decided on; one whose evidence speaks against it is
 * declined.
 */
function checkChallenge(challenge: CaptureVerdict): Omit<Failure, 'mediumId'> | null {
  if (challenge.status === 'no_evidence') return failures.noChallenge
  return challenge.status === 'cannot_tell' ? describeUnclear(challenge) : null
}

/** Fewer frames cannot show movement. */
const clipFramesMin = 5
/** Minimum share of frames with a face: without this bound, empty frames would reduce the number of key frames. */
const faceShareMin = 0.5

/**
 * Checks whether the movement of a clip could be measured; otherwise an attacker would only have to step back. If a face holds
 * still, the frames alone decide, unless movement is required. A picture then fails too; otherwise a still would pass as a photo.
 */
function checkMovement({ id, assessment: { clip } }: DecidedMedium, isRequired: boolean): Failure | null {
  const fail = (failure: Omit<Failure, 'mediumId'>): Failure => ({ ...failure, mediumId: id })
  if (!clip) return isRequired ? fail(failures.noMovement) : null
  if (clip.frames < clipFramesMin) return fail(failures.tooFewFrames)
  if (clip.frames - clip.framesWithoutFace < clip.frames * faceShareMin) return fail(failures.faceTooSeldom)
  const { movement } = clip
  if (movement.status === 'too_small') return fail(describeSmallFace(movement.eyesApart))
  if (movement.status === 'too_few') return fail(failures.faceTooSeldom)
  return isRequired && classifyMovement(movement) === 'nothing' ? fail(failures.still) : null
}

/** What each kind of movement is evidence of. */
const movementReasons: Partial<Record<MovementClass, ReasonCode>> = {
  flat: 'picture_moved',
  repeating: 'picture_animated',
  bent: 'picture_bent',
  blended: 'pictures_blended',
  shaded: 'light_moved',
}

/** What the scores of a medium say against it; empty if all are on the bona fide side of their thresholds. `NaN` is no pass. */
function findAttack(
  { assessment: { clip } }: DecidedMedium,
  { frames, movement, identity }: LivenessParts,
  { replay, liveness }: MediumLiveness,
  { thresholdSpoofing, thresholdReplay, thresholdLiveness }: LivenessParameters,
): ReasonCode[] {
  const isAttack = (score: number | null): boolean => score !== null && !(score < thresholdSpoofing)
  const moves = clip ? classifyMovement(clip.movement, thresholdSpoofing) : null
  const found: ReasonCode[] = []
  if (isAttack(identity)) found.push('identity_changes')
  if (isAttack(movement)) found.push((moves && movementReasons[moves]) ?? 'attack_suspected')
  if (isAttack(frames)) found.push(moves === 'nothing' ? 'picture_held' : 'print_or_screen')
  if (thresholdReplay !== undefined && !(replay < thresholdReplay)) found.push('screen_suspected')
  if (thresholdLiveness !== undefined && liveness !== null && !(liveness > thresholdLiveness))
    found.push('movement_doubtful')
  return found
}

/** What single pictures look like. Other reasons are evidence of their own, however poor the sample is. */
const looks: ReadonlySet<ReasonCode> = new Set(['print_or_screen', 'picture_held', 'screen_suspected'])

/** The failure of a medium that nothing but its looks speaks against, if its sample is too poor to tell; `null` if it is declined. */
function checkLooks({ id, assessment }: DecidedMedium, against: readonly ReasonCode[]): Failure | null {
  const { quality, pad } = assessment.subject!
  const isScored = pad.status === 'assessed' && Number.isFinite(pad.attack)
  if (!isScored || !against.every((code) => looks.has(code))) return null
  const failure = checkJudgeable(quality)
  return failure && { ...failure, mediumId: id }
}

/** What a medium was to show, and does not. */
export function findOmissions(
  { gesture, challenge }: MediumLiveness,
  { gestureRequired, challengeRequired }: LivenessParameters,
): ReasonCode[] {
  const found: ReasonCode[] = []
  if (gestureRequired && gesture && !gesture.isPerformed) found.push('gesture_missing')
  if (!challengeRequired) return found
  if (challenge?.status === 'missed') found.push('challenge_missed')
  else if (challenge?.status !== 'answered') found.push('challenge_contradicted')
  return found
}

/** What the challenge is declined for; `null` if every medium answers it. */
export function explainChallenge(scores: readonly MediumLiveness[]): string | null {
  const words = scores.flatMap(({ challenge }) => challenge?.reasons ?? [])
  return words.length === 0
    ? null
    : `The capture does not answer the challenge of its session: ${words.join(', ')}`
}

/**
 * Decides liveness: every medium must be a bona fide sample. One attack declines the analysis. One medium that cannot be
 * decided on fails it, so that nobody passes by adding an empty picture. A sample so poor that its looks are no evidence of an attack
 * fails it too, unless another medium declines it.
 */
export function decideLiveness(
  media: readonly DecidedMedium[],
  parameters: LivenessParameters,
): LivenessVerdict {
  const { gate, movementRequired, challengeRequired } = parameters
  const scores: MediumLiveness[] = []
  /** The first of the media that nobody can judge. */
  let unjudged: Failure | null = null
  const unclear: MediumChallenge[] = []
  let failure: Failure | null = null
  for (const medium of media) {
    const { id, capture, durationS, assessment } = medium
    const problem =
      checkSample(medium, gate, 'liveness') ??
      checkMovement(medium, movementRequired) ??
      checkIdentity(medium)
    failure ??= problem
    if (problem) continue
    const isChallenged = challengeRequired || capture !== undefined
    const challenge = isChallenged ? judgeCapture(capture ?? null, assessment.clip, durationS ?? null) : null
    const doubt = challenge && challengeRequired ? checkChallenge(challenge) : null
    if (challenge && doubt) {
      unclear.push({ mediumId: id, challenge })
      failure ??= { ...doubt, mediumId: id }
      continue
    }
    const parts = scoreParts(assessment, challengeRequired ? challenge : null)
    const score = scoreLiveness(medium, parts, challenge)
    const attack = findAttack(medium, parts, score, parameters)
    const against = [...attack, ...findOmissions(score, parameters)]
    const excuse = against.length > 0 ? checkLooks(medium, against) : null
    unjudged ??= excuse
    // A poor sample may be why a person looks like an attack.
    const defects = attack.length > 0 ? findPoorReasons(assessment.subject!.quality) : []
    const isDeclined = against.length > 0 && !excuse
    scores.push(isDeclined ? { ...score, reasons: [...against, ...defects] } : score)
  }
  const worstAttack = scores.length === 0 ? null : Math.max(...scores.map(({ attack }) => attack))
  const found = { media: scores, unclear, worstAttack }
  if (failure) return { outcome: { status: 'failed', failure }, ...found }
  const isPassed = scores.length > 0 && scores.every(({ reasons }) => reasons === undefined)
  if (isPassed && unjudged) return { outcome: { status: 'failed', failure: unjudged }, ...found }
  const reason = challengeRequired ? explainChallenge(scores) : null
  return {
    outcome: {
      status: 'finished',
      decision: isPassed ? 'SUCCESS' : 'DECLINED',
      ...(reason === null ? {} : { reason }),
    },
    ...found,
  }
}
