/** Records a clip while the stage asks for its gestures. */
import { type Clip, planScenes, recordClip, type Scene } from './recorder.ts'
import type { Stage } from './stage.ts'
import type { TextKey } from './texts.ts'

/** Time between two moves of the progress. */
const progressEveryMs = 50

/** @throws as `recordClip` */
export async function recordStep(
  stage: Stage,
  stream: MediaStream,
  gestures: readonly string[],
  signal: AbortSignal,
): Promise<Clip> {
  const { view } = stage
  const scenes = planScenes(gestures)
  const startMs = performance.now()
  const totalMs = scenes.reduce((sum, { ms }) => sum + ms, 0)
  const timer = setInterval(
    () => view.showProgress(Math.min(1, (performance.now() - startMs) / totalMs)),
    progressEveryMs,
  )
  const onScene = ({ gesture }: Scene, index: number): void => {
    const text = gesture === null ? stage.say('recording') : stage.say(gesture as TextKey)
    const step = gesture === null ? '' : `${stage.say('step', { step: index, steps: gestures.length })}. `
    view.advise(text, gesture === null ? 'plain' : 'loud')
    view.announce(step + text)
  }
  try {
    return await recordClip({ video: view.video, stream, scenes, onScene, signal })
  } finally {
    clearInterval(timer)
  }
}
