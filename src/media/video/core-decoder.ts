/** Video decoder on ffmpeg from @ffmpeg/core, for servers without the lean decoder. */
import { invariant } from '../../errors.ts'
import { clipKinds } from '../accepted-media.ts'
import { orientImage } from '../orient-image.ts'
import { checkClip, framesMin, tooFewDecoded } from './check-clip.ts'
import { CoreCommands, type DecodedPictures } from './core-commands.ts'
import type { FfmpegCoreFactory } from './core-instance.ts'
import type { CoreFacts } from './core-probe.ts'
import { type CollectedPicture, toRgba } from './frame-collector.ts'
import { PicturePicker } from './picture-picker.ts'
import { TimeBudget } from './time-budget.ts'
import type {
  ClipFile,
  FramesWanted,
  OpenedVideo,
  VideoDecoder,
  VideoFacts,
  VideoFrame,
  VideoLimits,
} from './video-decoder.ts'
import { selectUsedTimes } from './wanted-frames.ts'

/** Maximum size of the pictures of one run. A run returns all its pictures at the end, so larger requests take several runs. */
const heldBytesMax = 96 * 2 ** 20
/** Tolerance for times, in which the filter computes with other units. */
const toleranceS = 1e-4
/** Containers in which ffmpeg finds the last key picture before a time; before this time it starts at the beginning. */
const indexed: ReadonlySet<string> = new Set(['mov', 'matroska'])
const jumpMinS = 1

/** Expression that selects the first picture at or after each time, without duplicates. */
const selectAtTimes = (timesS: readonly number[]): string =>
  timesS
    .map((timeS) => `gte(t+1e-6,${timeS})*(isnan(prev_selected_t)+lt(prev_selected_t+1e-6,${timeS}))`)
    .join('+') || '0'

interface Run {
  sideMax: number
  /** Whether to stop now. @param heldBytes size of the pictures so far */
  isEnough(heldBytes: number): boolean
  /** Whether to start at a key picture. */
  mayJump: boolean
}

class CoreVideo implements OpenedVideo {
  readonly facts: VideoFacts
  readonly #raw: CoreFacts
  #commands: CoreCommands | null
  /** Time of the first picture by the clock of the clip; `null` as long as it is not known. */
  #originS: number | null

  constructor(commands: CoreCommands, facts: VideoFacts, raw: CoreFacts) {
    this.#commands = commands
    this.facts = facts
    this.#raw = raw
    this.#originS = raw.hasShownTimes ? raw.firstS : null
  }

  get #running(): CoreCommands {
    invariant(this.#commands !== null, 'the clip was closed')
    return this.#commands
  }

  async #findOrigin(): Promise<number> {
    const { pictures } = await this.#running.pictures({
      selection: '1',
      sideMax: 16,
      isWanted: () => true,
      isEnough: () => true,
      fromS: null,
    })
    const [first] = pictures
    if (!first) throw tooFewDecoded()
    return first.timeS
  }

  /** Decodes what a picker has not picked yet, until there is enough. */
  async #decode(picker: PicturePicker, run: Run): Promise<DecodedPictures> {
    this.#originS ??= await this.#findOrigin()
    const originS = this.#originS
    const { restS, lastS, picked } = picker
    const later = picked === 0 ? '1' : `gt(t,${lastS + originS + toleranceS})`
    const nextS = restS?.[0] ?? lastS
    const canJump = indexed.has(this.facts.container) && this.#raw.hasShownTimes && !this.#raw.beginsAgain
    return this.#running.pictures({
      selection: restS ? selectAtTimes(restS.map((timeS) => timeS + originS)) : later,
      sideMax: run.sideMax,
      isWanted: (timeS) => picker.pick(timeS - originS),
      isEnough: run.isEnough,
      fromS: canJump && run.mayJump && nextS > jumpMinS ? nextS + originS : null,
    })
  }

  #toFrame(picture: CollectedPicture): VideoFrame {
    const timeS = picture.timeS - (this.#originS ?? 0)
    return {
      timeS,
      image: orientImage(toRgba(picture), this.#raw.orientation),
      keepFullSize: () => async () => (await this.#readAgain(timeS)).image,
    }
  }

  async #readAt(timeS: number, mayJump: boolean): Promise<VideoFrame | null> {
    const picker = new PicturePicker([Math.max(0, timeS)])
    const sideMax = Number.POSITIVE_INFINITY
    const { pictures } = await this.#decode(picker, {
      sideMax,
      isEnough: () => true,
      mayJump,
    })
    return pictures[0] ? this.#toFrame(pictures[0]) : null
  }

  async #readAgain(timeS: number): Promise<VideoFrame> {
    const isIt = (found: VideoFrame | null) =>
      found !== null && Math.abs(found.timeS - timeS) < 2 * toleranceS
    const frame = await this.#readAt(timeS - toleranceS, true)
    // What follows a key picture may need pictures before it, and is left out after a jump.
    const sure = isIt(frame) ? frame : await this.#readAt(timeS - toleranceS, false)
    invariant(sure !== null, 'a picture that was decoded can be decoded again')
    return sure
  }

  async *frames({ timesS, sideMax }: FramesWanted): AsyncGenerator<VideoFrame> {
    const picker = new PicturePicker(selectUsedTimes(timesS, this.facts))
    const isSatisfied = () => picker.isDone && picker.picked >= framesMin
    const { width, height, usedDurationS } = this.facts
    let decoded = 0
    // The first of shrunk pictures comes alone: the caller may want larger ones, and start again.
    let heldMax = sideMax < Math.max(width, height) ? 0 : heldBytesMax
    for (let isAtEnd = timesS?.length === 0; !isAtEnd; heldMax = heldBytesMax) {
      const isEnough = (heldBytes: number) => heldBytes > heldMax || isSatisfied()
      const run = await this.#decode(picker, { sideMax, isEnough, mayJump: true })
      decoded = Math.max(decoded, run.decoded)
      for (let picture = run.pictures.shift(); picture; picture = run.pictures.shift()) {
        const frame = this.#toFrame(picture)
        if (frame.timeS >= usedDurationS) return
        yield frame
      }
      isAtEnd = !run.isStopped || isSatisfied()
    }
    if (picker.picked >= framesMin || timesS?.length === 0) return
    if (decoded < framesMin) throw tooFewDecoded()
  }

  async frameAt(timeS: number): Promise<VideoFrame | null> {
    return timeS < this.facts.usedDurationS ? this.#readAt(timeS, true) : null
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
  const openCommands = (
    { format, bytes }: ClipFile,
    { pixelsMax }: VideoLimits,
    budget: TimeBudget,
  ): CoreCommands =>
    new CoreCommands(factory, compiled, { bytes, container: format.container, pixelsMax, budget })
  return {
    id: 'ffmpeg-core',
    reads: clipKinds,
    async open(clip, limits, budget = new TimeBudget(limits.timeMaxMs)): Promise<OpenedVideo> {
      const commands = openCommands(clip, limits, budget)
      const raw = await commands.probe()
      return new CoreVideo(commands, checkClip(clip.format, raw, limits), raw)
    },
    async crop(clip, limits, budget) {
      invariant(limits.durationMaxS !== null, 'there is a length to crop to')
      return openCommands(clip, limits, budget).crop(clip.format.mimeType, limits.durationMaxS)
    },
  }
}
