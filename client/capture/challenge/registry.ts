/** The types of challenge steps that this page can show. */
import type { ChallengeStep, ColoursStep } from '../../../src/container/format.ts'
import { approachKind } from './approach-step.ts'
import { coloursKind } from './colours-step.ts'
import { gestureKind } from './gesture-step.ts'
import type { StepKind } from './step-kind.ts'

const kinds = [gestureKind, approachKind, coloursKind] as readonly StepKind<ChallengeStep>[]

const findKind = (step: ChallengeStep): StepKind<ChallengeStep> | undefined =>
  kinds.find(({ type }) => type === step.type)

/** The steps that this page can show. A server tells by the evidence which others were not performed. */
export const shownSteps = (steps: readonly ChallengeStep[]): ChallengeStep[] =>
  steps.filter((step) => findKind(step)?.isShown(step))

/** @throws {TypeError} for a step that `shownSteps` leaves out */
export function kindOf(step: ChallengeStep): StepKind<ChallengeStep> {
  const kind = findKind(step)
  if (!kind) throw new TypeError(`This page cannot show steps of the type ${step.type}`)
  return kind
}

export const isLight = (step: ChallengeStep): step is ColoursStep => step.type === 'colours'

/** Width of the face to begin with, as a share of the picture's shorter side; `null` if no step asks for one. */
export const firstWidth = (steps: readonly ChallengeStep[]): number | null =>
  steps.find((step) => step.type === 'approach')?.from ?? null
