/** Draws the challenge of a session token, and reads it again. */
import * as v from 'valibot'
import type { GestureName } from '../vision/clip/gestures.ts'
import type { GestureStep } from './format.ts'

/**
 * Gestures of a challenge: those whose peak has one clear time. A blink happens unasked, and growth is measured from the
 * beginning of the clip.
 */
export const challengeGestures = ['left', 'right', 'high', 'down', 'smile'] as const satisfies GestureName[]

/**
 * @param below returns a random whole number from 0 to below its argument
 * @example
 * ```ts
 * import { drawChallenge } from './challenge.ts'
 *
 * const { steps } = drawChallenge({ steps: 2, required: false }, () => 0)
 * steps.map(({ gesture }) => gesture) // → ['left', 'right']
 * ```
 */
export function drawChallenge(
  { steps, required }: { steps: number; required: boolean },
  below: (count: number) => number = randomBelow,
): { required: boolean; steps: GestureStep[] } {
  const left: GestureName[] = [...challengeGestures]
  const drawn = Array.from({ length: steps }, () => left.splice(below(left.length), 1)[0]!)
  return { required, steps: drawn.map((gesture) => ({ type: 'gesture', gesture })) }
}

/** Values from here on would make small numbers more likely. */
const valuesOfByte = 256

function randomBelow(count: number): number {
  for (;;) {
    const [byte] = crypto.getRandomValues(new Uint8Array(1))
    if (byte! < valuesOfByte - (valuesOfByte % count)) return byte! % count
  }
}

const challengeSchema = v.object({
  steps: v.array(v.object({ type: v.string(), gesture: v.optional(v.string()) })),
})

/**
 * The name of a step that is asked for or was performed. A step of another type has the name of its type, which no clip
 * answers: a server that does not know a step cannot tell whether it was performed.
 */
export const nameOfStep = ({ type, gesture }: { type: string; gesture?: string | undefined }): string =>
  type === 'gesture' ? (gesture ?? type) : type

/** The names of the steps of a token's claim, in order. */
export function readChallenge(claim: unknown): string[] {
  const { success, output } = v.safeParse(challengeSchema, claim)
  return success ? output.steps.map(nameOfStep) : []
}
