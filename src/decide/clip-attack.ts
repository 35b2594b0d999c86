/** What a clip shows beyond its frames, as attack scores: a picture that is moved or animated, a face that is exchanged. */
import type { ClipFindings, MovementFindings } from '../assess/assessment.ts'
import { type GestureFinding, type GestureName, gestureNames } from '../vision/clip/gestures.ts'
import type { Movement } from '../vision/clip/movement.ts'

/**
 * How much a face must change by itself to be none but a picture as likely as not, on a scale of logarithms. People of the
 * clips fitted on reach 0.36 and more, but for one who only nods; stills that are moved 0.065 at most (`docs/liveness.md`).
 */
const planarMotion = { own: 0.16, width: 0.35 }

/**
 * How far a face must have moved through the frame, in distances between its eyes, for its own stillness to tell anything, and
 * where that tells all it can. Whoever holds still before a camera held by hand stays below. A tilt tells as well, if next to
 * nothing else is seen: a head that turns so far would show its depth.
 */
const movementBounds = { view: { from: 0.2, to: 0.3 }, tilt: { from: 0.026, to: 0.034, restMax: 0.04 } }

/**
 * How exactly a movement must come back to be made by code as likely as not, on a scale of logarithms. People fitted on reach 0.23
 * and more wherever they move; loops, warps and photos in turn 0.05 and less.
 */
const repeating = { recurrence: 0.07, width: 0.2 }

/**
 * The same of what jumps. Lids of people that close again come back to 0.01 of the jump, pasted ones to 0.0005, coded as H.264 too.
 */
const jumping = { recurrence: 0.0025, width: 0.35 }

/**
 * How little must be left where smooth bends and shading are taken out for a still that is bent as likely as not. Of people fitted on
 * 0.18 and more is left, of waves and warps 0.08 and less where they are laid on well.
 */
const bent = { remainder: 0.06, width: 0.2 }

/**
 * How unevenly the light of half of the frames must differ over a face for shadows that code moves over it, and how much a head may
 * turn for that to tell anything: where it turns, its shading changes. People fitted on whose heads turn less stay below 0.05.
 */
const shaded = { light: { from: 0.1, to: 0.14 }, tilt: { from: 0.05, to: 0.08 } }

const logistic = (x: number): number => 1 / (1 + Math.exp(-x))

/** How far a value has come from one bound to the other, 0…1. */
const rampShare = (value: number, { from, to }: { from: number; to: number }): number =>
  Math.min(1, Math.max(0, (value - from) / (to - from)))

export interface ClipAttack {
  /** That the face is a picture that is moved or animated, 0…1; `null` where nothing can be told. */
  movement: number | null
  /** That the face is exchanged on the way, 0…1, one half where strangers begin; `null` where nobody looked. */
  identitySwitch: number | null
}

/** How far a value lies below a bound, 0…1, one half at the bound; on a scale of logarithms. */
const scoreBelow = (value: number, bound: number, width: number): number =>
  logistic(Math.log(bound / Math.max(value, 1e-4)) / width)

/** What moves by itself may still be a picture: one that code moves to and fro. */
const scoreRepetition = ({ recurrence, jumpRecurrence }: Movement): number =>
  Math.max(
    recurrence === null ? 0 : scoreBelow(recurrence, repeating.recurrence, repeating.width),
    jumpRecurrence === null ? 0 : scoreBelow(jumpRecurrence, jumping.recurrence, jumping.width),
  )

/** What the movement is evidence of, each 0…1. Which of them apply depends on whether the face moves by itself. */
interface MovementEvidence {
  flat: number
  repeating: number
  bent: number
  shaded: number
}

/** Only a face that moves through the frame and does nothing by itself is flat; one that holds still may be anything. */
function weighEvidence(movement: Movement): MovementEvidence {
  const { own, view, tilt, remainder, light } = movement
  const still = scoreBelow(own, planarMotion.own, planarMotion.width)
  const lit = rampShare(light, shaded.light) * (1 - rampShare(tilt, shaded.tilt))
  if (own >= planarMotion.own)
    return {
      flat: 0,
      repeating: scoreRepetition(movement),
      bent: scoreBelow(remainder, bent.remainder, bent.width),
      shaded: lit,
    }
  const rest = Math.min(own, remainder)
  const moved = Math.max(
    rampShare(view, movementBounds.view),
    rest < movementBounds.tilt.restMax ? rampShare(tilt, movementBounds.tilt) : 0,
  )
  return { flat: still * moved, repeating: 0, bent: 0, shaded: lit }
}

function scoreMovementAttack(movement: MovementFindings): number | null {
  if (movement.status !== 'measured') return null
  const score = Math.max(...Object.values(weighEvidence(movement)))
  if (movement.own >= planarMotion.own)
    return Math.max(score, scoreBelow(movement.own, planarMotion.own, planarMotion.width))
  return score === 0 ? null : score
}

export type MovementClass = 'alive' | 'nothing' | keyof MovementEvidence

/** What the movement of a clip says, in a word: the gravest. */
export function classifyMovement(movement: MovementFindings): MovementClass {
  if (movement.status !== 'measured') return 'nothing'
  const evidence = weighEvidence(movement)
  const words = ['flat', 'repeating', 'bent', 'shaded'] as const
  const gravest = words.toSorted((a, b) => evidence[b] - evidence[a])[0]!
  if (evidence[gravest] >= 0.5) return gravest
  return movement.own >= planarMotion.own ? 'alive' : 'nothing'
}

export const scoreClipAttack = ({ movement, identity }: ClipFindings): ClipAttack => ({
  movement: scoreMovementAttack(movement),
  identitySwitch: identity?.distance == null ? null : logistic(identity.distance),
})

const tagPrefix = 'video_selfie_'

/** The gesture that a medium's tags name; `null` for none. */
export function findTaggedGesture(tags: readonly string[]): GestureName | null {
  const names = tags.filter((tag) => tag.startsWith(tagPrefix)).map((tag) => tag.slice(tagPrefix.length))
  return gestureNames.find((gesture) => names.includes(gesture)) ?? null
}

/** Gestures that ask for nothing but a face. */
const neutral: ReadonlySet<GestureName> = new Set(['blank', 'oneshot', 'best'])

/** What became of the gesture that a medium's tags ask for. */
export interface RequestedGesture extends GestureFinding {
  name: GestureName
}

/**
 * A photo performs nothing.
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
