/** The person makes a gesture. */
import type { GestureStep } from '../../../src/container/format.ts'
import { pause } from '../../retry.ts'
import { gestureTags } from '../describe-capture.ts'
import { isTextKey, type TextKey } from '../texts.ts'
import { type StepKind, timeIn } from './step-kind.ts'

const gestureMs = 2400

export const gestureKind: StepKind<GestureStep> = {
  type: 'gesture',
  restMs: 1000,
  isShown: ({ gesture }) => gesture !== 'blank' && gestureTags.has(gesture) && isTextKey(gesture),
  usualMs: () => gestureMs,
  async perform({ gesture }, scene) {
    const from = timeIn(scene)
    scene.ask(gesture as TextKey)
    await pause(gestureMs, scene.signal)
    return { type: 'gesture', gesture, from, to: timeIn(scene) }
  },
}
