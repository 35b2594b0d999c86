/** Video decoder on ffmpeg from @ffmpeg/core, for servers without our own decoder. */
import { invariant } from '../../errors.ts'
import { orientImage } from '../orient-image.ts'
import type { RgbaImage } from '../rgba-image.ts'
import { checkClip, framesMin, type RawFacts, tooFewDecoded } from './check-clip.ts'
import { CoreCommands } from './core-commands.ts'
import type { FfmpegCoreFactory } from './core-instance.ts'
import { requireVideo } from './sniff-video.ts'
import { TimeBudget } from './time-budget.ts'
import type {
  FramesWanted,
  OpenedVideo,
  VideoDecoder,
  VideoFacts,
  VideoFrame,
  VideoLimits,
} from './video-decoder.ts'
import { fitSize, selectUsedTimes } from './wanted-frames.ts'

/** Maximum size of the pictures of one run. A run returns all its pictures at the end, so larger requests take several runs. */
const heldBytesMax = 64 * 2 ** 20
/** Tolerance for times, which are rounded to six digits. */
const toleranceS = 1e-4

/** Expression that selects the first picture at or after each time, without duplicates. */
const selectAtTimes = (timesS: readonly number[]): string =>
  timesS
    .map((timeS) => `gte(t+1e-6,${timeS})*(isnan(prev_selected_t)+lt(prev_selected_t+1e-6,${timeS}))`)
    .join('+')

class CoreVideo implements OpenedVideo {
  readonly facts: VideoFacts
  readonly #raw: RawFacts
  #commands: CoreCommands | null

  constructor(commands: CoreCommands, facts: VideoFacts, raw: RawFacts) {
    this.#commands = commands
    this.facts = facts
    this.#raw = raw
  }

  #decode(selection: string, count: number | null, sideMax: number) {
    invariant(this.#commands !== null, 'the clip was closed')
    return this.#commands.frames({ selection, count, ...fitSize(this.#raw, sideMax) })
  }

  #toFrame(timeS: number, stored: RgbaImage): VideoFrame {
    return {
      timeS,
      image: orientImage(stored, this.#raw.orientation),
      fullSize: async () => {
        const frame = await this.frameAt(Math.max(0, timeS - toleranceS))
        invariant(frame !== null, 'a picture that was decoded can be decoded again')
        return frame.image
      },
    }
  }

  async *frames({ timesS, sideMax }: FramesWanted): AsyncGenerator<VideoFrame> {
    const times = selectUsedTimes(timesS, this.facts)
    yield* times === null ? this.#decodeEveryFrame(sideMax) : this.#decodeFramesAt(times, sideMax)
  }

  #heldMax(sideMax: number): number {
    const { width, height } = fitSize(this.#raw, sideMax)
    return Math.max(1, Math.floor(heldBytesMax / (width * height * 4)))
  }

  async *#decodeEveryFrame(sideMax: number): AsyncGenerator<VideoFrame> {
    const count = this.#heldMax(sideMax)
    let seen = 0
    for (let afterS = -1; ; ) {
      const { frames } = await this.#decode(`gt(t,${afterS})`, count, sideMax)
      for (const { timeS, image } of frames) {
        if (timeS >= this.facts.usedDurationS) return
        seen++
        yield this.#toFrame(timeS, image)
        afterS = timeS + toleranceS
      }
      if (frames.length < count) break
    }
    if (seen < framesMin) throw tooFewDecoded()
  }

  async *#decodeFramesAt(times: readonly number[], sideMax: number): AsyncGenerator<VideoFrame> {
    const count = this.#heldMax(sideMax)
    let lastS = -1
    for (let from = 0; from < times.length; from += count) {
      const wanted = times.slice(from, from + count)
      const { frames, decoded } = await this.#decode(selectAtTimes(wanted), null, sideMax)
      if (decoded < framesMin) throw tooFewDecoded()
      for (const { timeS, image } of frames) {
        if (timeS <= lastS || timeS >= this.facts.usedDurationS) continue
        lastS = timeS
        yield this.#toFrame(timeS, image)
      }
    }
  }

  async frameAt(timeS: number): Promise<VideoFrame | null> {
    if (timeS >= this.facts.usedDurationS) return null
    const { frames } = await this.#decode(selectAtTimes([Math.max(0, timeS)]), 1, Number.POSITIVE_INFINITY)
    const frame = frames[0]
    return frame ? this.#toFrame(frame.timeS, frame.image) : null
  }

  close(): void {
    this.#commands = null
  }
}

/**
 * Opens the decoder.
 * @param factory the package's export
 * @param compiled the package's compiled module
 */
export function openCoreDecoder(factory: FfmpegCoreFactory, compiled: WebAssembly.Module): VideoDecoder {
  const openCommands = (bytes: Uint8Array, { pixelsMax }: VideoLimits, budget: TimeBudget) => {
    const sniffed = requireVideo(bytes)
    const clip = { bytes, container: sniffed.container, pixelsMax, budget }
    return { sniffed, commands: new CoreCommands(factory, compiled, clip) }
  }
  return {
    id: 'ffmpeg-core',
    async open(bytes, limits, budget = new TimeBudget(limits.timeMaxMs)): Promise<OpenedVideo> {
      const { sniffed, commands } = openCommands(bytes, limits, budget)
      const raw = await commands.probe()
      return new CoreVideo(commands, checkClip(sniffed, raw, limits), raw)
    },
    async crop(bytes, limits, budget) {
      const { sniffed, commands } = openCommands(bytes, limits, budget)
      invariant(limits.durationMaxS !== null, 'there is a length to crop to')
      return commands.crop(sniffed.mimeType, limits.durationMaxS)
    },
  }
}
