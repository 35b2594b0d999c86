/** Gestures: the clip shows each within the time of its step, after the one before. */
import { type GestureFinding, type GestureName, gestureNames } from '../../vision/clip/gestures.ts'
import { type StepFinding, type StepJudge, toleranceS } from './step.ts'

const isGestureName = (name: string): name is GestureName =>
  (gestureNames as readonly string[]).includes(name)

/** Movements that no face makes at the same time. */
const opposites: Partial<Record<GestureName, GestureName>> = {
  left: 'right',
  right: 'left',
  high: 'down',
  down: 'high',
  zoom_in: 'zoom_out',
  zoom_out: 'zoom_in',
}

/** Times at which a gesture is performed; people also blink and smile when nobody asks. */
function timesOf({ isPerformed, timeS, peaksS }: GestureFinding): readonly number[] {
  if (!isPerformed || timeS === null) return []
  return peaksS ?? [timeS]
}

const toFinding = (reasons: readonly string[], score: number | null, timeS: number | null): StepFinding => ({
  status: reasons.length === 0 ? 'performed' : 'not_performed',
  reasons,
  advice: '',
  attack: null,
  measures: { score, time: timeS },
})

/** In a shorter step nothing tells a gesture from one that happens anyway. */
const lengthMinS = 1.5

/** A gesture beside its opposite does not count: a clip that goes through all gestures again and again answers no challenge. */
export const gesture: StepJudge<string> = {
  // Comparisons with `NaN` are false, which is no pass.
  findContradictions: (asked, { fromS, toS }) =>
    !isGestureName(asked) || toS - fromS >= lengthMinS ? [] : ['step_too_short'],
  *judge({ asked, performed: { fromS, toS }, clip, afterS }) {
    const finding = isGestureName(asked) ? clip.gestures[asked] : null
    const times = finding ? timesOf(finding) : []
    const find = (reasons: readonly string[], timeS: number | null) =>
      toFinding(reasons, finding?.score ?? null, timeS)
    if (times.length === 0) return find([`no_${asked}`], null)
    const timeS = times.find(
      (time) => time > afterS && time >= fromS - toleranceS && time <= toS + toleranceS,
    )
    if (timeS === undefined) return find([`${asked}_at_another_time`], null)
    const opposite = opposites[asked as GestureName]
    const isBoth =
      opposite !== undefined &&
      // The head may still come back from the step before.
      timesOf(clip.gestures[opposite]).some((time) => time > fromS + toleranceS && time < toS)
    return { ...find(isBoth ? [`${asked}_and_${opposite}`] : [], timeS), timeS }
  },
}
