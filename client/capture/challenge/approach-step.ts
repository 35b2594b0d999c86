/** The face comes nearer: first it is far away, then it fills a larger oval. */
import type { ApproachStep } from '../../../src/container/format.ts'
import { pause } from '../../retry.ts'
import { widthOnStage } from '../stage-part.ts'
import { type Scene, type StepKind, timeIn } from './step-kind.ts'

/** How far the width of the face may be from what is asked for, in shares of the stage. */
const tolerance = 0.04
/** Looks one after another that must agree. */
const looksWanted = 2
const lookEveryMs = 80
/** A face that was found some milliseconds ago is still there when the recording ends with the step. */
const holdMs = 400

/** Longest time to go back, and what it takes where nobody sees the face. The recording begins with a face that is far away. */
const far = { longestMs: 1000, blindMs: 800 }
/** The same for coming nearer, and what people need at least, whatever comes later. */
const near = { longestMs: 4000, blindMs: 2500 }
const nearLeastMs = 1500

/** Waits until the width of the face is as wanted, or the time is over. */
async function waitForWidth(
  { faces, stage, signal }: Scene,
  isReached: (width: number) => boolean,
  { longestMs, blindMs }: typeof far,
): Promise<void> {
  const startMs = performance.now()
  let agreed = 0
  let hasSeen = false
  while (agreed < looksWanted) {
    const spentMs = performance.now() - startMs
    if (spentMs >= (hasSeen ? longestMs : Math.min(longestMs, blindMs))) return
    const face = await faces.find(stage.view.video)
    if (face) hasSeen = true
    agreed = face && isReached(face.width) ? agreed + 1 : 0
    await pause(lookEveryMs, signal)
  }
}

export const approachKind: StepKind<ApproachStep> = {
  type: 'approach',
  restMs: 500,
  isShown: ({ from, to }) => from > 0 && from < to && to <= 1,
  usualMs: () => far.blindMs + near.blindMs + holdMs,
  async perform(step, scene) {
    const { view } = scene.stage
    const [farWidth, nearWidth] = [step.from, step.to].map((share) => widthOnStage(view.video, share)) as [
      number,
      number,
    ]
    const from = timeIn(scene)
    view.setOval(farWidth)
    scene.ask('moveBack')
    await waitForWidth(scene, (width) => width <= farWidth + tolerance, far)
    view.setOval(nearWidth)
    scene.ask('comeNearer')
    const longestMs = Math.min(near.longestMs, Math.max(nearLeastMs, scene.leftMs() - holdMs))
    await waitForWidth(scene, (width) => width >= nearWidth - tolerance, { ...near, longestMs })
    await pause(holdMs, scene.signal)
    return { type: 'approach', from, to: timeIn(scene) }
  },
}
