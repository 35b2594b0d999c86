/** Attack scores of a clip beyond its single frames: pictures that are moved or animated, and switched identities. */
import type { ClipFindings, MovementFindings } from '../assess/assessment.ts'
import { type GestureFinding, type GestureName, gestureNames } from '../vision/clip/gestures.ts'
import { eyesApartMin, type Movement } from '../vision/clip/movement.ts'
import { type Failure, failures } from './analysis.ts'

/**
 * Own movement at which a face is as likely a flat picture as a person, and the width of the transition on a log scale. In the
 * clips used for fitting, people reach 0.36 and more, except one who only nods; moved stills reach at most 0.065
 * (`docs/research.md`).
 */
const planarMotion = { own: 0.16, width: 0.35 }

/**
 * Movement through the frame, in eye distances, from which missing own movement is evidence, and at which it is full evidence.
 * People who hold still in front of a hand-held camera stay below. Tilt counts as well if almost nothing else moves: a real
 * head that turns so far would show its depth.
 */
const movementBounds = { view: { from: 0.2, to: 0.3 }, tilt: { from: 0.026, to: 0.034, restMax: 0.04 } }

/**
 * Recurrence at which a movement is as likely generated as natural, and the width of the transition on a log scale. In the
 * clips used for fitting, people have 0.23 and more; loops, warps and alternating photos 0.05 and less, pasted lids that
 * differ from blink to blink 0.09 and less.
 */
const repeating = { recurrence: 0.12, width: 0.2 }

/** The same for jumps. Closing lids of people have 0.01, pasted ones 0.0005, also after H.264 encoding. */
const jumping = { recurrence: 0.0025, width: 0.35 }

/**
 * Remainder (after removing smooth bends and shading) at which a clip is as likely a warped still as a person, and the width of
 * the transition on a log scale. People have 0.18 and more; waves and warps 0.08 and less if they are aligned well.
 */
const bent = { remainder: 0.06, width: 0.2 }

/**
 * Remainder (after removing the best crossfade) at which a clip is as likely a crossfade of photos as a person, and the width of
 * the transition on a log scale. In the clips used for fitting, re-encoded in nine ways, a person who only nods has 0.48 and more,
 * others 0.84 and more; crossfades of photos that differ clearly have mostly 0.33 and less.
 */
const blended = { remainder: 0.35, width: 0.1 }

/**
 * Unevenness of the light from which moving shadows count as generated, and the tilt up to which this is evidence: a turning
 * head changes its shading. People whose heads turn less stay below 0.05.
 */
const shaded = { light: { from: 0.1, to: 0.14 }, tilt: { from: 0.05, to: 0.08 } }

const logistic = (x: number): number => 1 / (1 + Math.exp(-x))

/** Linear ramp from 0 at one bound to 1 at the other. */
const rampShare = (value: number, { from, to }: { from: number; to: number }): number =>
  Math.min(1, Math.max(0, (value - from) / (to - from)))

interface ClipAttack {
  /** Score that the face is a moved or animated picture, 0…1; `null` if the movement is no evidence. */
  movement: number | null
  /** Score that the person changes during the clip, 0…1; 0.5 at the threshold for different persons; `null` if not measured. */
  identitySwitch: number | null
}

/** Logistic score on a log scale: 0.5 at the bound, towards 1 below it. */
const scoreBelow = (value: number, bound: number, width: number): number =>
  logistic(Math.log(bound / Math.max(value, 1e-4)) / width)

/** Score that own movement is periodic, as in generated animations. */
const scoreRepetition = ({ recurrence, jumpRecurrence }: Movement): number =>
  Math.max(
    recurrence === null ? 0 : scoreBelow(recurrence, repeating.recurrence, repeating.width),
    jumpRecurrence === null ? 0 : scoreBelow(jumpRecurrence, jumping.recurrence, jumping.width),
  )

/** Score that the clip is a crossfade. */
const scoreBlend = ({ blendRemainder }: Movement): number =>
  blendRemainder === null ? 0 : scoreBelow(blendRemainder, blended.remainder, blended.width)

/**
 * Evidence of each kind of attack, 0…1. Which of them apply depends on whether the face moves by itself: it counts as flat only if it
 * moves through the frame with little own movement. Holding still is no evidence.
 */
function weighEvidence(movement: Movement) {
  const { own, view, tilt, remainder, light } = movement
  const still = scoreBelow(own, planarMotion.own, planarMotion.width)
  const rest = Math.min(own, remainder)
  const moved = Math.max(
    rampShare(view, movementBounds.view),
    rest < movementBounds.tilt.restMax ? rampShare(tilt, movementBounds.tilt) : 0,
  )
  const isAlive = own >= planarMotion.own
  return {
    flat: still * moved,
    repeating: isAlive ? scoreRepetition(movement) : 0,
    bent: isAlive ? scoreBelow(remainder, bent.remainder, bent.width) : 0,
    blended: isAlive ? scoreBlend(movement) : 0,
    shaded: rampShare(light, shaded.light) * (1 - rampShare(tilt, shaded.tilt)),
  }
}

function scoreMovementAttack(movement: MovementFindings): number | null {
  if (movement.status !== 'measured') return null
  const score = Math.max(...Object.values(weighEvidence(movement)))
  return score === 0 ? null : score
}

type AttackWord = keyof ReturnType<typeof weighEvidence>

export type MovementClass = 'alive' | 'nothing' | AttackWord

/**
 * Classifies the movement of a clip by the strongest evidence.
 * @param attackMin the score from which it counts as evidence of an attack
 */
export function classifyMovement(movement: MovementFindings, attackMin = 0.5): MovementClass {
  if (movement.status !== 'measured') return 'nothing'
  const evidence = weighEvidence(movement)
  const words = Object.keys(evidence) as AttackWord[]
  const gravest = words.toSorted((a, b) => evidence[b] - evidence[a])[0]!
  if (evidence[gravest] >= attackMin) return gravest
  const own = Math.min(movement.own, movement.uncut)
  return own >= planarMotion.own ? 'alive' : 'nothing'
}

export const scoreClipAttack = ({ movement, identity }: ClipFindings): ClipAttack => ({
  movement: scoreMovementAttack(movement),
  identitySwitch: identity === null || identity.distance === null ? null : logistic(identity.distance),
})

const tagPrefix = 'video_selfie_'

/** The gesture named by a medium's tags; `null` if there is none. */
export function findTaggedGesture(tags: readonly string[]): GestureName | null {
  const names = tags.filter((tag) => tag.startsWith(tagPrefix)).map((tag) => tag.slice(tagPrefix.length))
  return gestureNames.find((gesture) => names.includes(gesture)) ?? null
}

/** Gestures that require nothing but a face. */
const neutral: ReadonlySet<GestureName> = new Set(['blank', 'oneshot', 'best'])

/** The finding for the gesture that a medium's tags request. */
export interface RequestedGesture extends GestureFinding {
  name: GestureName
}

/**
 * The requested gesture with its finding; `null` if the tags request none. Photos perform only neutral gestures.
 * @param clip `null` for photos
 */
export function findRequestedGesture(
  tags: readonly string[],
  clip: ClipFindings | null,
): RequestedGesture | null {
  const name = findTaggedGesture(tags)
  if (!name) return null
  if (clip) return { name, ...clip.gestures[name] }
  const isPerformed = neutral.has(name)
  return { name, isPerformed, score: isPerformed ? 1 : 0, timeS: null }
}

/**
 * The failure of a clip whose face is too small.
 * @param eyesApart largest distance between the outer corners of the eyes, in pixels of the analysed frames
 */
export function describeSmallFace(eyesApart: number): Omit<Failure, 'mediumId'> {
  const { message } = failures.faceTooSmall
  const measured = `the eyes are ${Math.floor(eyesApart)} px apart in the analysed frames; at least ${eyesApartMin} px`
  return { ...failures.faceTooSmall, message: `${message} (${measured})` }
}
