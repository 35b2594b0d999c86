/** The face comes nearer: perspective changes as it does on a solid head. */
import { measureApproach } from '../../vision/challenge/measure-approach.ts'
import { type AskedApproach, findByMeasure, type StepJudge, tellNothing } from './step.ts'

export const approach: StepJudge<AskedApproach> = {
  judge: ({ asked, performed: { fromS, toS }, clip }) =>
    clip.approach
      ? findByMeasure('approach', measureApproach(clip.approach, asked, { fromS, toS }))
      : tellNothing('approach_unclear', 'again'),
}
