/** What a clip shows beyond its frames, as attack scores: a picture that is moved or animated, a face that is exchanged. */
import type { ClipFindings, MovementFindings } from '../assess/assessment.ts'
import { type GestureFinding, type GestureName, gestureNames } from '../vision/clip/gestures.ts'
import type { Movement } from '../vision/clip/movement.ts'

/**
 * How much a face must change by itself to be none but a picture as likely as not, on a scale of logarithms. People of the
 * clips fitted on reach 0.36 and more, but for one who only nods; stills that are moved 0.065 at most (`docs/liveness.md`).
 */
const flat = { own: 0.16, width: 0.35 }

/**
 * How far a face must have moved through the frame, in distances between its eyes, for its own stillness to tell anything, and
 * where that tells all it can. Whoever holds still before a camera held by hand stays below. A tilt tells as well, if next to
 * nothing else is seen: a head that turns so far would show its depth.
 */
const telling = { view: { from: 0.2, to: 0.3 }, tilt: { from: 0.026, to: 0.034, ownMax: 0.04 } }

/**
 * How exactly a movement must come back to be made by code as likely as not, on a scale of logarithms. People fitted on reach 0.23
 * and more wherever they move; loops, warps and photos in turn 0.05 and less.
 */
const repeating = { recurrence: 0.07, width: 0.2 }

const logistic = (x: number): number => 1 / (1 + Math.exp(-x))

/** How far a value has come from one bound to the other, 0…1. */
const share = (value: number, { from, to }: { from: number; to: number }): number =>
  Math.min(1, Math.max(0, (value - from) / (to - from)))

export interface ClipAttack {
  /** That the face is a picture that is moved or animated, 0…1; `null` where nothing can be told. */
  movement: number | null
  /** That the face is exchanged on the way, 0…1, one half where strangers begin; `null` where nobody looked. */
  swap: number | null
}

/** What moves by itself may still be a picture: one that code moves to and fro. */
function repetition({ recurrence }: Movement): number {
  if (recurrence === null) return 0
  return logistic(Math.log(repeating.recurrence / Math.max(recurrence, 1e-4)) / repeating.width)
}

/** Only a face that moves through the frame and does nothing by itself is a picture; one that holds still may be anything. */
function movementAttack(movement: MovementFindings): number | null {
  if (movement.status !== 'measured') return null
  const { own, view, tilt } = movement
  const score = logistic(Math.log(flat.own / Math.max(own, 1e-4)) / flat.width)
  if (own >= flat.own) return Math.max(score, repetition(movement))
  const moved = Math.max(share(view, telling.view), own < telling.tilt.ownMax ? share(tilt, telling.tilt) : 0)
  return moved === 0 ? null : score * moved
}

/** What the movement of a clip says, in a word. */
export function movementTells(movement: MovementFindings): 'alive' | 'repeating' | 'flat' | 'nothing' {
  const score = movementAttack(movement)
  if (score === null || movement.status !== 'measured') return 'nothing'
  if (movement.own >= flat.own) return score < 0.5 ? 'alive' : 'repeating'
  return score < 0.5 ? 'nothing' : 'flat'
}

export const clipAttack = ({ movement, identity }: ClipFindings): ClipAttack => ({
  movement: movementAttack(movement),
  swap: identity?.distance == null ? null : logistic(identity.distance),
})

const tagPrefix = 'video_selfie_'

/** The gesture that a medium's tags name; `null` for none. */
export function taggedGesture(tags: readonly string[]): GestureName | null {
  const names = tags.filter((tag) => tag.startsWith(tagPrefix)).map((tag) => tag.slice(tagPrefix.length))
  return gestureNames.find((gesture) => names.includes(gesture)) ?? null
}

/** Gestures that ask for nothing but a face. */
const neutral: ReadonlySet<GestureName> = new Set(['blank', 'oneshot', 'best'])

/** What became of the gesture that a medium's tags ask for. */
export interface AskedGesture extends GestureFinding {
  name: GestureName
}

/**
 * A photo performs nothing.
 * @param clip `null` for photos
 */
export function askedGesture(tags: readonly string[], clip: ClipFindings | null): AskedGesture | null {
  const name = taggedGesture(tags)
  if (!name) return null
  if (clip) return { name, ...clip.gestures[name] }
  const isPerformed = neutral.has(name)
  return { name, isPerformed, score: isPerformed ? 1 : 0, timeS: null }
}
