import { approach } from './approach.ts'
import { colours } from './colours.ts'
import { gesture } from './gesture.ts'
import type { AskedStep, StepJudge } from './step.ts'

const judges = { gesture, approach, colours }

/** The judge of a step. */
export const judgeOf = (asked: AskedStep): StepJudge<AskedStep> =>
  // Each judge is asked about steps of its own type alone.
  judges[typeof asked === 'string' ? 'gesture' : asked.type] as StepJudge<never> as StepJudge<AskedStep>
