/** Draws the challenge of a session token, and reads it again. */
import * as v from 'valibot'
import type { AskedStep } from '../../decide/challenge/step.ts'
import type { Challenge, ChallengeStep } from '../format.ts'
import { type StepType, stepKinds } from './registry.ts'
import { type Below, randomBelow, type StepKind } from './step-kind.ts'

/**
 * @param steps types of the steps, in their order
 * @example
 * ```ts
 * import { drawChallenge } from './challenge.ts'
 *
 * const { steps } = drawChallenge({ steps: ['gesture', 'approach'], required: false }, () => 0)
 * steps // → [{ type: 'gesture', gesture: 'left' }, { type: 'approach', from: 0.27, to: 0.58 }]
 * ```
 */
export function drawChallenge(
  { steps, required }: { steps: readonly StepType[]; required: boolean },
  below: Below = randomBelow,
): Challenge {
  const drawn: ChallengeStep[] = []
  for (const type of steps) drawn.push(stepKinds[type].draw(below, drawn))
  return { required, steps: drawn }
}

const challengeSchema = v.object({ steps: v.array(v.looseObject({ type: v.string() })) })

function readStep(step: { type: string }): AskedStep {
  const kind: StepKind | null = Object.hasOwn(stepKinds, step.type) ? stepKinds[step.type as StepType] : null
  const read = kind && v.safeParse(kind.form, step)
  if (!read?.success) return step.type
  return read.output.type === 'gesture' ? read.output.gesture : read.output
}

/**
 * The steps of a token's claim, in order. A step of an unknown type or form has the name of its type, which no clip answers: a
 * server that does not know a step cannot tell whether it was performed.
 */
export function readChallenge(claim: unknown): AskedStep[] {
  const { success, output } = v.safeParse(challengeSchema, claim)
  return success ? output.steps.map(readStep) : []
}
