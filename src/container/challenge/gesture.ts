import * as v from 'valibot'
import type { GestureName } from '../../vision/clip/gestures.ts'
import type { GestureStep } from '../format.ts'
import { drawFrom, type StepKind } from './step-kind.ts'

/**
 * Gestures of a challenge: those whose peak has one clear time. A blink happens unasked, and growth is measured from the
 * beginning of the clip.
 */
export const challengeGestures = ['left', 'right', 'high', 'down', 'smile'] as const satisfies GestureName[]

/** Each gesture is asked for once. */
export const gesture: StepKind<GestureStep> = {
  draw(below, before) {
    const asked = before.map((step) => (step.type === 'gesture' ? step.gesture : null))
    const left = challengeGestures.filter((name) => !asked.includes(name))
    return { type: 'gesture', gesture: drawFrom(left, below) }
  },
  form: v.object({ type: v.literal('gesture'), gesture: v.string() }),
}
