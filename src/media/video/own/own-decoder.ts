/** Our own decoder: reads the tracks of containers, decodes by our codecs (`wasm/h264`, `wasm/vp8`), and leaves all other clips to another decoder. */
import { invariant } from '../../../errors.ts'
import type { Orientation } from '../../exif.ts'
import { orientImage } from '../../orient-image.ts'
import type { RgbaImage } from '../../rgba-image.ts'
import { checkClip, checkPictureSize, framesMin, type RawFacts, tooFewDecoded } from '../check-clip.ts'
import { findOrientation } from '../display-matrix.ts'
import type { VideoContainer } from '../formats/clip-format.ts'
import { PicturePicker } from '../picture-picker.ts'
import { outOfTime, TimeBudget } from '../time-budget.ts'
import { damagedClip, tooLargeToDecode } from '../unreadable-clip.ts'
import type {
  ClipFile,
  FramesWanted,
  OpenedVideo,
  VideoDecoder,
  VideoFacts,
  VideoFrame,
  VideoLimits,
} from '../video-decoder.ts'
import { fitSize, selectUsedTimes } from '../wanted-frames.ts'
import type { ClipDecoder, ClipPicture, CodecId } from './clip-codec.ts'
import { type ClipTrack, LeftToOthers } from './clip-track.ts'
import { readMatroskaTrack } from './matroska-track.ts'
import { readMp4Track } from './mp4-track.ts'
import { ownKinds, refuseContainer, refuseKind } from './own-kinds.ts'

/** Passes over a clip where there is no clock. */
const passesMax = 4
/** Times are computed from units of the track. */
const toleranceS = 1e-6

interface Clip {
  bytes: Uint8Array
  track: ClipTrack
  orientation: Orientation
}

class OwnVideo implements OpenedVideo {
  readonly facts: VideoFacts
  readonly #clip: Clip
  readonly #pixelsMax: number
  /** Pixels that may still be decoded, over all passes: each sample is at most one picture. */
  #pixelsLeft: number
  readonly #budget: TimeBudget
  #decoder: ClipDecoder | null
  /** Changes with every move of the decoder, so that an iteration notices if another one moved it. */
  #turn = 0
  #decoded = 0

  constructor(decoder: ClipDecoder, clip: Clip, facts: VideoFacts, limits: VideoLimits, budget: TimeBudget) {
    this.#decoder = decoder
    this.#clip = clip
    this.facts = facts
    const { pixelsMax, pixelsInAllMax = Number.POSITIVE_INFINITY } = limits
    this.#pixelsMax = pixelsMax
    this.#pixelsLeft = passesMax * pixelsInAllMax
    this.#budget = budget
  }

  get #running(): ClipDecoder {
    invariant(this.#decoder !== null, 'the clip was closed')
    return this.#decoder
  }

  #timeOf(index: number): number {
    return this.#clip.track.samples[index]!.timeS
  }

  /** Index of the sample from which a time can be reached. */
  #keyBefore(timeS: number): number {
    return this.#clip.track.samples.findLastIndex(
      ({ isKey }, index) => isKey && (index === 0 || this.#timeOf(index) <= timeS + toleranceS),
    )
  }

  /** The samples whose pictures are the first at or after a time; `null` for all. */
  #choose(timesS: readonly number[] | null): ReadonlySet<number> | null {
    if (timesS === null) return null
    const order = this.#clip.track.samples
      .map((_, index) => index)
      .sort((a, b) => this.#timeOf(a) - this.#timeOf(b))
    const chosen = new Set<number>()
    let next = 0
    for (const timeS of timesS) {
      while (next < order.length && this.#timeOf(order[next]!) < timeS - toleranceS) next++
      if (next < order.length) chosen.add(order[next]!)
    }
    return chosen
  }

  /** Decodes forward from a sample. What no chosen picture needs is left out, once enough were decoded to be a clip. */
  *#pictures(from: number, chosen: ReadonlySet<number> | null): Generator<ClipPicture, void> {
    const decoder = this.#running
    const { bytes, track } = this.#clip
    decoder.reset()
    this.#decoded = 0
    for (let index = from; index < track.samples.length; index++) {
      if (this.#pixelsLeft <= 0) throw outOfTime()
      const { at, size } = track.samples[index]!
      const skips = chosen !== null && this.#decoded >= framesMin && !chosen.has(index)
      yield* this.#count(decoder.decode(bytes.subarray(at, at + size), index, skips))
      if (decoder.refusal === 'too_large') throw tooLargeToDecode()
      const { width, height } = decoder.size() ?? this.facts
      this.#pixelsLeft -= width * height
    }
    yield* this.#count(decoder.flush())
  }

  /** Pictures from a key picture on, as those before it are made of nothing. Looks at the clock between them. */
  *#count(pictures: Iterable<ClipPicture>): Generator<ClipPicture, void> {
    for (const picture of pictures) {
      this.#budget.check()
      if (this.#decoded === 0 && !picture.isKey) continue
      this.#decoded++
      yield picture
    }
    this.#budget.check()
  }

  #draw(picture: ClipPicture, sideMax: number): RgbaImage {
    const image = orDamaged(() => this.#running.draw(picture, fitSize(picture, sideMax)))
    if (!image) throw tooLargeToDecode()
    return orientImage(image, this.#clip.orientation)
  }

  /** The next picture that a picker picks; `null` at the end. */
  #next(pictures: Generator<ClipPicture, void>, picker: PicturePicker): ClipPicture | null {
    return this.#budget.time(() => {
      while (!(picker.isDone && this.#decoded >= framesMin)) {
        const found = orDamaged(() => pictures.next())
        if (found.done) return null
        if (!picker.pick(this.#timeOf(found.value.tag))) continue
        checkPictureSize(found.value, this.#pixelsMax)
        return found.value
      }
      return null
    })
  }

  #toFrame(picture: ClipPicture, sideMax: number): VideoFrame {
    const turn = this.#turn
    return {
      timeS: this.#timeOf(picture.tag),
      image: this.#budget.time(() => this.#draw(picture, sideMax)),
      keepFullSize: () => {
        invariant(turn === this.#turn, 'the frame is still the current one')
        const full = this.#draw(picture, Number.POSITIVE_INFINITY)
        return async () => full
      },
    }
  }

  async *frames(wanted: FramesWanted): AsyncGenerator<VideoFrame> {
    const timesS = selectUsedTimes(wanted.timesS, this.facts)
    if (timesS?.length === 0) return
    const picker = new PicturePicker(timesS)
    let turn = ++this.#turn
    const pictures = this.#pictures(0, this.#choose(timesS))
    for (let picture = this.#next(pictures, picker); picture; picture = this.#next(pictures, picker)) {
      if (this.#timeOf(picture.tag) >= this.facts.usedDurationS) return
      yield this.#toFrame(picture, wanted.sideMax)
      invariant(turn === this.#turn, 'the clip is read by one at a time')
      turn = ++this.#turn
    }
    if (this.#decoded < framesMin) throw tooFewDecoded()
  }

  async frameAt(timeS: number): Promise<VideoFrame | null> {
    this.#turn++
    if (timeS >= this.facts.usedDurationS) return null
    const picker = new PicturePicker([Math.max(0, timeS)])
    const pictures = this.#pictures(this.#keyBefore(timeS), null)
    const picture = this.#next(pictures, picker)
    return picture && this.#toFrame(picture, Number.POSITIVE_INFINITY)
  }

  close(): void {
    this.#turn++
    this.#decoder = null
  }
}

/** Traps of a module are the clip's fault. */
const explain = (cause: unknown): unknown =>
  cause instanceof WebAssembly.RuntimeError ? damagedClip(cause) : cause

function orDamaged<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw explain(cause)
  }
}

function toRawFacts(
  { samples, declaredS, matrix, coding }: ClipTrack,
  size: { width: number; height: number },
): RawFacts {
  const last = samples.reduce((latest, sample) => (sample.timeS > latest.timeS ? sample : latest))
  const timesS = samples.map(({ timeS }) => timeS)
  return {
    ...size,
    orientation: findOrientation(matrix),
    codec: coding.codec.id,
    packets: samples.length,
    firstS: 0,
    lastS: last.timeS,
    lastDurationS: last.durationS,
    isWhole: true,
    timesS,
    backSteps: samples.filter(({ decodeS }, i) => i > 0 && decodeS <= samples[i - 1]!.decodeS).length,
    declaredS,
  }
}

const readers: Partial<Record<VideoContainer, (bytes: Uint8Array) => ClipTrack>> = {
  mov: readMp4Track,
  matroska: readMatroskaTrack,
}

/** Compiled modules, which may be shared. */
type OwnModules = Readonly<Record<CodecId, () => Promise<WebAssembly.Module>>>

/** @throws {LeftToOthers} for a clip that is not one for this decoder */
async function openOwn(
  modules: OwnModules,
  memoryBytesMax: number,
  { format, bytes }: ClipFile,
  limits: VideoLimits,
  budget: TimeBudget,
): Promise<OpenedVideo> {
  const read = readers[format.container]
  if (!read) throw refuseContainer(format)
  const track = budget.time(() => read(bytes))
  const { coding } = track
  // A little more than the limit, for whole macroblocks: pictures are checked again.
  const pixelsMax = Math.min(2 ** 30, limits.pixelsMax * 1.1)
  const module = await modules[coding.codec.id]()
  const { at, size } = track.samples[0]!
  const first = bytes.subarray(at, at + size)
  const opened = await coding.open(module, { pixelsMax, memoryBytesMax }, first).catch((cause) => {
    throw explain(cause)
  })
  if (!opened) throw refuseKind(coding.codec)
  const raw = toRawFacts(track, opened.size)
  const facts = checkClip(format, raw, limits)
  const clip = { bytes, track, orientation: raw.orientation }
  return new OwnVideo(opened.decoder, clip, facts, limits, budget)
}

/**
 * Opens the decoder on its modules.
 * @param other decodes all other clips, and crops; `null`: they are refused
 * @param memoryBytesMax maximum of an instance's memory; a clip that needs more is refused
 */
export function openOwnDecoder(
  modules: OwnModules,
  other: VideoDecoder | null,
  memoryBytesMax = 640 * 2 ** 20,
): VideoDecoder {
  return {
    id: 'own',
    reads: other?.reads ?? ownKinds,
    async open(clip, limits, budget = new TimeBudget(limits.timeMaxMs)) {
      try {
        return await openOwn(modules, memoryBytesMax, clip, limits, budget)
      } catch (error) {
        if (!(error instanceof LeftToOthers)) throw error
        if (!other) throw error.refusal
        return other.open(clip, limits, budget)
      }
    },
    ...(other?.crop ? { crop: other.crop } : {}),
  }
}
