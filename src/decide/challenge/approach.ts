/** The face comes nearer: perspective changes as it does on a solid head. */
import { measureApproach } from '../../vision/challenge/measure-approach.ts'
import { type AskedApproach, findByMeasure, type StepJudge, tellNothing } from './step.ts'

export const approach: StepJudge<AskedApproach> = {
  // biome-ignore lint/correctness/useYield: it is one piece
  *judge({ asked, performed: { fromS, toS }, clip }) {
    return clip.approach
      ? findByMeasure('approach', measureApproach(clip.approach, asked, { fromS, toS }))
      : tellNothing('approach_unclear', 'again')
  },
}
