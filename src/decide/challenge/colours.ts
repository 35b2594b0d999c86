/** Colours of the screen: the face answers them, as solid skin does. */
import { measureLightInPieces } from '../../vision/challenge/measure-light.ts'
import {
  type AskedColours,
  type CaptureStep,
  findByMeasure,
  type StepJudge,
  tellNothing,
  toleranceS,
} from './step.ts'

/** A page that shows colours so much earlier or later than asked was held up, and its light cannot be compared. */
const unevenS = 0.15

/** When each colour begins, and when the last one ends, in seconds since the first. */
function findStarts({ colours }: AskedColours): number[] {
  const starts = [0]
  for (const { ms } of colours) starts.push(starts.at(-1)! + ms / 1000)
  return starts
}

/** Whether times follow each other within the step. Comparisons with `NaN` are false, which is no pass. */
function isWithin({ fromS, toS }: CaptureStep, timesS: readonly number[]): boolean {
  let earliest = fromS - toleranceS
  for (const timeS of timesS) {
    if (!(timeS >= earliest)) return false
    earliest = timeS
  }
  return earliest <= toS + toleranceS
}

/** Whether the page showed the colours when it should have, after the first. */
export function isShownEvenly(asked: AskedColours, { shown = [] }: CaptureStep): boolean {
  const starts = findStarts(asked)
  const [fromS = 0] = shown[0] ?? []
  return shown.every(([timeS], place) => Math.abs(timeS - fromS - starts[place]!) <= unevenS)
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
    const timesS = shown.map(([timeS]) => timeS)
    const endS = timesS.at(-1)! + asked.colours.at(-1)!.ms / 1000
    return isWithin(performed, [...timesS, endS]) ? [] : ['colours_at_another_time']
  },
  *judge({ asked, performed, clip }) {
    const { shown = [], isSkipped, isSoft = false } = performed
    if (isSkipped) return tellNothing('colours_skipped', 'other_way')
    const [fromS] = shown[0]!
    if (!isShownEvenly(asked, performed) || !clip.light) return tellNothing('colours_unclear', 'again')
    return findByMeasure('colours', yield* measureLightInPieces(clip.light, asked, fromS, isSoft))
  },
}
