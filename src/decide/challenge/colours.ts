/** Colours of the screen. Their light is not measured yet, so nothing is told about them. */
import { type AskedColours, type CaptureStep, type StepJudge, tellNothing, toleranceS } from './step.ts'

/** Whether the times are in order and within the step. Comparisons with `NaN` are false, which is no pass. */
function isWithin({ fromS, toS, shown = [] }: CaptureStep): boolean {
  let earliest = fromS - toleranceS
  for (const [timeS] of shown) {
    if (!(timeS >= earliest)) return false
    earliest = timeS
  }
  return earliest <= toS + toleranceS
}

export const colours: StepJudge<AskedColours> = {
  findGaps: ({ shown, isSkipped }) => (shown || isSkipped ? [] : ['no_shown']),
  findContradictions(asked, performed) {
    const { shown = [], isSkipped } = performed
    if (isSkipped) return []
    const isAsked =
      shown.length === asked.colours.length &&
      asked.colours.every(({ colour }, place) => colour === shown[place]![1].toLowerCase())
    if (!isAsked) return ['other_colours']
    return isWithin(performed) ? [] : ['colours_at_another_time']
  },
  judge: ({ performed: { isSkipped } }) =>
    isSkipped ? tellNothing('colours_skipped', 'other_way') : tellNothing('colours_unclear', 'again'),
}
