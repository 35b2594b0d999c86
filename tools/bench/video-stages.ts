/** Measures the stages of an assessment from outside: times decoder and engine; the rest is our own code. */
import type { Engine, ModelId } from '../../src/inference/engine.ts'
import type { OpenedVideo, VideoDecoder, VideoFrame } from '../../src/media/video/video-decoder.ts'

/** `decode` is the pass over the clip; reading pictures in full size, for which ffmpeg restarts, is counted separately. */
export const stages = ['decode', 'fullSize', 'detect', 'landmarks', 'pad', 'template', 'rest'] as const
type Stage = (typeof stages)[number]
export type StageMs = Record<Stage, number>

const stageOf: Record<ModelId, Stage> = {
  'yunet-2023mar': 'detect',
  'blazeface-back': 'detect',
  'facemesh-468': 'landmarks',
  'dlib-resnet29': 'template',
  'faceplugin-feature': 'template',
  'faceplugin-liveness': 'pad',
  'minifasnet-v2': 'pad',
  'minifasnet-v1se': 'pad',
  'recapture-1': 'pad',
}

export class StageClock {
  #ms = new Map<Stage, number>()

  async time<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
    const start = performance.now()
    try {
      return await work()
    } finally {
      this.#ms.set(stage, (this.#ms.get(stage) ?? 0) + performance.now() - start)
    }
  }

  /** Results since the last call, for a total in milliseconds. */
  take(wholeMs: number): StageMs {
    const measured = this.#ms
    this.#ms = new Map()
    const named = [...measured.values()].reduce((sum, ms) => sum + ms, 0)
    return Object.fromEntries(
      stages.map((stage) => [stage, stage === 'rest' ? wholeMs - named : (measured.get(stage) ?? 0)]),
    ) as StageMs
  }
}

/** Networks only; pre- and postprocessing count as the rest. */
export const timedEngine = (engine: Engine, clock: StageClock): Engine => ({
  run: (model, image) => clock.time(stageOf[model] ?? 'rest', () => engine.run(model, image)),
})

function timedVideo(video: OpenedVideo, clock: StageClock): OpenedVideo {
  const timedFrame = (frame: VideoFrame): VideoFrame => ({
    ...frame,
    keepFullSize: () => {
      const read = frame.keepFullSize()
      return () => clock.time('fullSize', read)
    },
  })
  return {
    facts: video.facts,
    async *frames(wanted) {
      const frames = video.frames(wanted)[Symbol.asyncIterator]()
      for (;;) {
        const next = await clock.time('decode', () => frames.next())
        if (next.done) return
        yield timedFrame(next.value)
      }
    },
    frameAt: (timeS) => clock.time('fullSize', () => video.frameAt(timeS)),
    close: () => video.close(),
  }
}

export const timedDecoder = (decoder: VideoDecoder, clock: StageClock): VideoDecoder => ({
  id: decoder.id,
  reads: decoder.reads,
  open: async (bytes, limits) =>
    timedVideo(await clock.time('decode', () => decoder.open(bytes, limits)), clock),
})
