/** The lean decoder: our build of FFmpeg (`wasm/video/build.sh`). */
import { invariant } from '../../errors.ts'
import { clipKinds } from '../accepted-media.ts'
import type { Orientation } from '../exif.ts'
import { orientImage } from '../orient-image.ts'
import type { RgbaImage } from '../rgba-image.ts'
import { checkClip, checkPictureSize, framesMin, type RawFacts, tooFewDecoded } from './check-clip.ts'
import { checkModule, LeanModule, step, timesMax } from './lean-module.ts'
import { outOfTime, TimeBudget } from './time-budget.ts'
import type {
  ClipFile,
  FramesWanted,
  OpenedVideo,
  VideoDecoder,
  VideoFacts,
  VideoFrame,
  VideoLimits,
} from './video-decoder.ts'
import { fitSize, selectUsedTimes } from './wanted-frames.ts'

/** Four passes over a clip, and up to two steps for each picture. */
const stepsPerPicture = 8

/**
 * Steps that a clip may take, over all its passes: the headers do not tell every picture that has to be decoded, nor that pictures grow on
 * the way.
 */
function stepsMax({ width, height }: RawFacts, { pixelsMax, pixelsInAllMax }: VideoLimits): number {
  if (pixelsInAllMax === undefined) return Number.POSITIVE_INFINITY
  const [asStored, asLarge] = [pixelsInAllMax / (width * height), (2 * pixelsInAllMax) / pixelsMax]
  return Math.ceil(stepsPerPicture * Math.min(asStored, asLarge))
}

class LeanVideo implements OpenedVideo {
  readonly facts: VideoFacts
  readonly #module: LeanModule
  readonly #orientation: Orientation
  readonly #pixelsMax: number
  readonly #budget: TimeBudget
  #stepsLeft: number
  /** Changes with every move of the decoder, so that an iteration notices if another one moved it. */
  #turn = 0

  constructor(
    module: LeanModule,
    facts: VideoFacts,
    raw: RawFacts,
    { budget, limits }: { budget: TimeBudget; limits: VideoLimits },
  ) {
    this.#module = module
    this.facts = facts
    this.#orientation = raw.orientation
    this.#pixelsMax = limits.pixelsMax
    this.#budget = budget
    this.#stepsLeft = stepsMax(raw, limits)
  }

  /** Decodes up to the next requested picture; false at the end. */
  #reachFrame(): boolean {
    return this.#budget.time(() => {
      for (;;) {
        this.#budget.check()
        if (this.#stepsLeft-- <= 0) throw outOfTime()
        const result = this.#module.next()
        if (result !== step.more) return result === step.frame
      }
    })
  }

  #readPicture(sideMax: number): RgbaImage {
    const { width, height } = fitSize(this.#module.size(), sideMax)
    return orientImage(this.#module.pixels(width, height), this.#orientation)
  }

  #toFrame(timeS: number, image: RgbaImage): VideoFrame {
    const turn = this.#turn
    return {
      timeS,
      image,
      keepFullSize: () => {
        invariant(turn === this.#turn, 'the frame is still the current one')
        const full = this.#readPicture(Number.POSITIVE_INFINITY)
        return async () => full
      },
    }
  }

  async *frames(wanted: FramesWanted): AsyncGenerator<VideoFrame> {
    const times = selectUsedTimes(wanted.timesS, this.facts)
    if (times?.length === 0) return
    invariant((times?.length ?? 0) <= timesMax, `at most ${timesMax} times`)
    this.#module.start(times ?? [], false)
    let turn = ++this.#turn
    while (this.#reachFrame()) {
      const timeS = this.#module.timeS()
      if (timeS >= this.facts.usedDurationS) return
      checkPictureSize(this.#module.size(), this.#pixelsMax)
      yield this.#toFrame(timeS, this.#readPicture(wanted.sideMax))
      invariant(turn === this.#turn, 'the clip is read by one at a time')
      turn = ++this.#turn
    }
    if (this.#module.decoded() < framesMin) throw tooFewDecoded()
  }

  async frameAt(timeS: number): Promise<VideoFrame | null> {
    this.#turn++
    if (timeS >= this.facts.usedDurationS) return null
    this.#module.start([Math.max(0, timeS)], true)
    if (!this.#reachFrame()) return null
    return this.#toFrame(this.#module.timeS(), this.#readPicture(Number.POSITIVE_INFINITY))
  }

  close(): void {
    this.#turn++
    this.#module.close()
  }
}

async function open(
  compiled: WebAssembly.Module,
  memoryBytesMax: number,
  { format, bytes }: ClipFile,
  limits: VideoLimits,
  budget = new TimeBudget(limits.timeMaxMs),
): Promise<OpenedVideo> {
  const { pixelsMax } = limits
  const module = await LeanModule.open(compiled, bytes, format.container, { pixelsMax, memoryBytesMax })
  budget.time(() => {
    while (module.scan() === step.more) budget.check()
  })
  const raw = module.facts()
  const facts = checkClip(format, raw, limits)
  return new LeanVideo(module, facts, raw, { budget, limits })
}

/**
 * Opens the lean decoder on its compiled module, which may be shared; each clip gets its own instance.
 * @param memoryBytesMax maximum of an instance's memory, the file included; a clip that needs more is refused
 */
export function openLeanDecoder(
  compiled: WebAssembly.Module,
  memoryBytesMax = Number.POSITIVE_INFINITY,
): VideoDecoder {
  checkModule(compiled)
  return { id: 'lean', reads: clipKinds, open: (...clip) => open(compiled, memoryBytesMax, ...clip) }
}
