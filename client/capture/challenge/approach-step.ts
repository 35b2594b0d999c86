/** The face comes nearer: first it is far away, then it fills a larger oval. */
import type { ApproachStep } from '../../../src/container/format.ts'
import { pause } from '../../retry.ts'
import { widthOnStage } from '../stage-part.ts'
import { type StepKind, timeIn } from './step-kind.ts'
import { waitForFace } from './wait-for-face.ts'

/** How far the width of the face may be from what is asked for, in shares of the stage. */
const tolerance = 0.04
/** A face that was found some milliseconds ago is still there when the recording ends with the step. */
const holdMs = 400

/** The whole step takes no longer; servers allow for it (`challengeSteps` in `src/setting-kinds.ts`). */
const stepMaxMs = 4000
/** Longest time to go back, and what it takes where nobody sees the face. The recording begins with a face that is far away. */
const far = { longestMs: 1000, blindMs: 800 }
/** The same for coming nearer; the longest time is what is left of the step. */
const nearBlindMs = 2500

export const approachKind: StepKind<ApproachStep> = {
  type: 'approach',
  restMs: 500,
  isShown: ({ from, to }) => from > 0 && from < to && to <= 1,
  usualMs: () => far.blindMs + nearBlindMs + holdMs,
  async perform(step, scene) {
    const { view } = scene.stage
    const farWidth = widthOnStage(view.video, step.from)
    const nearWidth = widthOnStage(view.video, step.to)
    const beganMs = performance.now()
    const from = timeIn(scene)
    view.setOval(farWidth)
    scene.ask('moveBack')
    await waitForFace(scene, ({ width }) => width <= farWidth + tolerance, far)
    view.setOval(nearWidth)
    scene.ask('comeNearer')
    const longestMs = stepMaxMs - holdMs - (performance.now() - beganMs)
    await waitForFace(scene, ({ width }) => width >= nearWidth - tolerance, {
      longestMs,
      blindMs: nearBlindMs,
    })
    await pause(holdMs, scene.signal)
    return { type: 'approach', from, to: timeIn(scene) }
  },
}
