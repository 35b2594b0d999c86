/** Records a clip while the stage asks for the steps of a challenge. */
import type { ChallengeStep, PerformedStep } from '../../src/container/format.ts'
import { pause, reasonOf } from '../retry.ts'
import { isLight, kindOf } from './challenge/registry.ts'
import type { Scene } from './challenge/step-kind.ts'
import { lookEveryMs, lookWithin } from './challenge/wait-for-face.ts'
import { holdExposure } from './exposure.ts'
import type { FaceFinder } from './face-finder.ts'
import type { FoundFace } from './finder-messages.ts'
import { type Clip, recordClip } from './recorder.ts'
import type { Stage } from './stage.ts'
import type { TextKey } from './texts.ts'

/** Time between two moves of the progress. */
const progressEveryMs = 50
/** A clip without steps. */
const plainMs = 3600

export interface Task {
  /** Steps that this page can show, in their order. */
  steps: readonly ChallengeStep[]
  /** False if the person asked for the way without light. */
  wantsLight: boolean
}

interface Recorded extends Task {
  stage: Stage
  stream: MediaStream
  faces: FaceFinder
  signal: AbortSignal
}

/** Steps of light that are skipped take no time, and nobody is told of them. */
const isPerformed = (step: ChallengeStep, { wantsLight }: Task): boolean => wantsLight || !isLight(step)

const middle = (values: number[]): number => values.sort((one, other) => one - other)[values.length >> 1]!

/**
 * Looks at the face at rest for some time.
 * @returns the medians of what was seen; `null` if that is less than three looks
 */
async function watchRest(recorded: Recorded, restMs: number): Promise<FoundFace | null> {
  const seen: FoundFace[] = []
  const endMs = performance.now() + restMs
  for (let leftMs = restMs; leftMs > 0; leftMs = endMs - performance.now()) {
    const face = await lookWithin(recorded, leftMs)
    if (face) seen.push(face)
    await pause(Math.max(0, Math.min(lookEveryMs, endMs - performance.now())), recorded.signal)
  }
  if (seen.length < 3) return null
  const of = (name: keyof FoundFace) => middle(seen.map((face) => face[name]))
  return { x: of('x'), y: of('y'), width: of('width'), turn: of('turn'), nod: of('nod') }
}

/** Performs the steps one after another, and shows how far the clip is. */
async function performSteps(recorded: Recorded, startMs: number): Promise<PerformedStep[]> {
  const { steps, wantsLight, stage, faces, signal } = recorded
  const { view } = stage
  const asked = steps.filter((step) => isPerformed(step, recorded))
  const usual = steps.map((step) => kindOf(step).usualMs(step, wantsLight))
  const restMs = asked[0] ? kindOf(asked[0]).restMs : plainMs
  const totalMs = usual.reduce((sum, ms) => sum + ms, restMs)
  let part = { sinceMs: startMs, beforeMs: 0, usualMs: restMs }
  const timer = setInterval(() => {
    const spentMs = Math.min(part.usualMs, performance.now() - part.sinceMs)
    view.showProgress((part.beforeMs + spentMs) / totalMs)
  }, progressEveryMs)
  const tell = (text: TextKey, tone: 'plain' | 'loud', place: string): void => {
    view.advise(stage.say(text), tone)
    view.announce(place + stage.say(text))
  }
  const spare = { ms: 0 }
  const perform = async (
    step: ChallengeStep,
    index: number,
    rest: FoundFace | null,
  ): Promise<PerformedStep> => {
    part = { sinceMs: performance.now(), beforeMs: part.beforeMs + part.usualMs, usualMs: usual[index]! }
    const place = `${stage.say('step', { step: asked.indexOf(step) + 1, steps: asked.length })}. `
    const scene: Scene = {
      stage,
      faces,
      rest,
      spare,
      startMs,
      wantsLight,
      signal,
      ask: (text) => tell(text, 'loud', place),
    }
    return kindOf(step).perform(step, scene)
  }
  try {
    tell('recording', 'plain', '')
    const rest = await watchRest(recorded, restMs)
    const performed: PerformedStep[] = []
    for (const [index, step] of steps.entries()) performed.push(await perform(step, index, rest))
    return performed
  } finally {
    clearInterval(timer)
  }
}

/** @throws as `recordClip`; the reason of the signal if it aborts */
export async function recordStep(recorded: Recorded): Promise<Clip> {
  const { stage, stream, signal } = recorded
  const needsLight = recorded.wantsLight && recorded.steps.some(isLight)
  const release = needsLight ? await holdExposure(stream) : () => {}
  try {
    if (signal.aborted) throw reasonOf(signal)
    return await recordClip({
      video: stage.view.video,
      stream,
      perform: (startMs) => performSteps(recorded, startMs),
    })
  } finally {
    release()
  }
}
