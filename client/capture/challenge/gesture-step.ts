/** The person makes a gesture. */
import type { GestureStep } from '../../../src/container/format.ts'
import { pause } from '../../retry.ts'
import { gestureTags } from '../describe-capture.ts'
import type { FoundFace } from '../finder-messages.ts'
import { isTextKey, type TextKey } from '../texts.ts'
import { type StepKind, timeIn } from './step-kind.ts'
import { waitForFace } from './wait-for-face.ts'

const gestureMs = 2400
/** Servers take no shorter step for an answer (1.5 s). */
const shortestMs = 1600
/** The peak of a movement follows what is seen first. */
const holdMs = 500

/** From these changes on, servers see the gesture too: they reach 1.2 times what servers want, in clips of the fit set. */
const changeMin = { turn: 0.24, raise: 0.22, lower: 0.16, growth: 1.36 }
/** A head that comes back from the other side is not turned. */
const turnMin = 0.1

/** Gestures that the face finder can see, as changes from the face at rest. Left and right are the person's. */
const isMade: Readonly<Record<string, (face: FoundFace, rest: FoundFace) => boolean>> = {
  left: (face, rest) => face.turn >= Math.max(turnMin, rest.turn + changeMin.turn),
  right: (face, rest) => face.turn <= Math.min(-turnMin, rest.turn - changeMin.turn),
  high: (face, rest) => rest.nod - face.nod >= changeMin.raise,
  down: (face, rest) => face.nod - rest.nod >= changeMin.lower,
  zoom_in: (face, rest) => face.width >= rest.width * changeMin.growth,
  zoom_out: (face, rest) => rest.width >= face.width * changeMin.growth,
}

export const gestureKind: StepKind<GestureStep> = {
  type: 'gesture',
  restMs: 1000,
  isShown: ({ gesture }) => gesture !== 'blank' && gestureTags.has(gesture) && isTextKey(gesture),
  usualMs: () => gestureMs,
  async perform({ gesture }, scene) {
    const { rest, spare, signal } = scene
    const from = timeIn(scene)
    const beganMs = performance.now()
    const spentMs = () => performance.now() - beganMs
    scene.ask(gesture as TextKey)
    const isWanted = Object.hasOwn(isMade, gesture) ? isMade[gesture] : undefined
    if (isWanted && rest) {
      const longestMs = gestureMs + spare.ms - holdMs
      const isSeen = await waitForFace(scene, (face) => isWanted(face, rest), {
        longestMs,
        blindMs: gestureMs - holdMs,
      })
      if (isSeen) scene.ask('seen')
      await pause(Math.max(holdMs, shortestMs - spentMs()), signal)
    } else await pause(gestureMs, signal)
    // Who needs less time for one gesture has more for the next ones.
    spare.ms = Math.max(0, spare.ms + gestureMs - spentMs())
    return { type: 'gesture', gesture, from, to: timeIn(scene) }
  },
}
