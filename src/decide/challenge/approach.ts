/** The face comes nearer. Perspective is not measured yet, so nothing is told about it. */
import { type AskedApproach, type StepJudge, tellNothing } from './step.ts'

export const approach: StepJudge<AskedApproach> = {
  judge: () => tellNothing('approach_unclear', 'again'),
}
