import type { ChallengeStep } from '../format.ts'
import { approach } from './approach.ts'
import { colours } from './colours.ts'
import { gesture } from './gesture.ts'
import type { StepKind } from './step-kind.ts'

export type StepType = ChallengeStep['type']

export const stepKinds: { readonly [Type in StepType]: StepKind<Extract<ChallengeStep, { type: Type }>> } = {
  gesture,
  approach,
  colours,
}
