/** What a clip shows beyond its frames, as attack scores: a flat picture that is moved, a face that is exchanged. */
import type { ClipFindings } from '../assess/assessment.ts'
import { type GestureFinding, type GestureName, gestureNames } from '../vision/clip/gestures.ts'

/**
 * Where a face changes so little by itself that it is taken for a picture as likely as not, and how fast that tips over.
 * 130 moved stills of the pictures fitted on reach 0.148 at most where the face looks at the camera and is all in the
 * picture (`docs/liveness.md`).
 */
const flat = { change: 0.16, width: 0.02 }

const logistic = (x: number): number => 1 / (1 + Math.exp(-x))

export interface ClipAttack {
  /** That the face is a moved picture, 0…1; `null` where that cannot be told. */
  flat: number | null
  /** That the face is exchanged on the way, 0…1, one half where strangers begin; `null` where nobody looked. */
  swap: number | null
}

export const clipAttack = ({ change, identity }: ClipFindings): ClipAttack => ({
  flat: change === null ? null : logistic((flat.change - change) / flat.width),
  swap: identity?.distance == null ? null : logistic(identity.distance),
})

const tagPrefix = 'video_selfie_'

/** The gesture that a medium's tags name; `null` for none. */
export function taggedGesture(tags: readonly string[]): GestureName | null {
  const names = tags.filter((tag) => tag.startsWith(tagPrefix)).map((tag) => tag.slice(tagPrefix.length))
  return gestureNames.find((gesture) => names.includes(gesture)) ?? null
}

/** What became of the gesture that a clip's tags ask for. */
export interface AskedGesture extends GestureFinding {
  name: GestureName
}

export function askedGesture(tags: readonly string[], clip: ClipFindings | null): AskedGesture | null {
  const name = taggedGesture(tags)
  return name && clip ? { name, ...clip.gestures[name] } : null
}
