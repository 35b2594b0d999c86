/** The commands run with ffmpeg's core for a clip. Each runs in a new instance. */
import { AppError, invariant } from '../../errors.ts'
import type { Size } from '../rgba-image.ts'
import { checkPictureSize, sideMax as pictureSideMax } from './check-clip.ts'
import { type FfmpegCore, type FfmpegCoreFactory, mountDevice, startCore } from './core-instance.ts'
import { type CoreFacts, probeEntries, readProbe, stepBackMaxS } from './core-probe.ts'
import type { VideoContainer } from './formats/clip-format.ts'
import { announcer, type CollectedPicture, FrameCollector } from './frame-collector.ts'
import type { TimeBudget } from './time-budget.ts'
import { damagedClip } from './unreadable-clip.ts'
import { fitSize } from './wanted-frames.ts'

/** Maximum number of packets read, which bounds the cost of a file: ten minutes at about sixty pictures per second. */
const packetsMax = 40_000

/** Names of the writers of files, by MIME type. */
const writers: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/3gpp': '3gp',
  'video/webm': 'webm',
  'video/x-matroska': 'matroska',
  'video/x-msvideo': 'avi',
  'video/ogg': 'ogg',
  'video/mpeg': 'vob',
  'video/mp2t': 'mpegts',
  'video/x-ms-wmv': 'asf',
}

export interface CoreClip {
  bytes: Uint8Array
  container: VideoContainer
  pixelsMax: number
  budget: TimeBudget
}

export interface PicturesCommand {
  /** Expression for the filter `select`; `t` is in seconds by the clock of the clip. */
  selection: string
  /** Maximum longer side of the pictures in pixels, before the orientation is applied. */
  sideMax: number
  /** Whether to use a selected picture; asked once for each, in their order. */
  isWanted(timeS: number): boolean
  /** Whether to stop now. @param keptBytes memory of the complete pictures */
  isEnough(keptBytes: number): boolean
  /** Where to start, by the clock of the clip: at the last key picture before it. Otherwise at the beginning. */
  fromS: number | null
}

/** Result of a run. */
export interface DecodedPictures {
  pictures: CollectedPicture[]
  /** Number of pictures decoded; 0 if it is not known. */
  decoded: number
  /** Whether the run ended before the clip did. */
  isStopped: boolean
}

/** Ends a run in the middle: thrown through ffmpeg, whose instance is not used again. */
class Stop extends Error {}

/** Times that begin again go on from where they were, as by the other decoder. */
const unfoldTimes = `setpts='st(0,ld(0)+if(lt(PTS,PREV_INPTS-${stepBackMaxS}/TB),PREV_INPTS-PTS,0));PTS+ld(0)'`

/** The same size as `fitSize`. */
const scaleDown = (sideMax: number): string => {
  const factor = `min(1,${Math.min(sideMax, pictureSideMax)}/max(iw,ih))`
  const side = (length: string) => `'max(1,round(${length}*${factor}))'`
  return `scale=w=${side('iw')}:h=${side('ih')}:flags=area:eval=frame`
}

/** Arguments of a run; those of the input are given. */
function argumentsOf({ selection, sideMax, fromS }: PicturesCommand, input: readonly string[]): string[] {
  const jump = fromS === null ? [] : ['-seek_timestamp', '1', '-noaccurate_seek', '-ss', fromS.toFixed(6)]
  const filters = [unfoldTimes, `select='${selection}'`, `${announcer}=checksum=0`, scaleDown(sideMax)]
  return [
    ...['-v', 'verbose', ...jump, '-copyts', '-noautorotate', '-reinit_filter', '0', ...input],
    ...['-map', '0:v:0', '-vf', filters.join(), '-autoscale', '0', '-vsync', 'passthrough'],
    ...['-pix_fmt', 'rgb24', '-f', 'rawvideo', '-flush_packets', '1', '/frames'],
  ]
}

/** As the time limit of a run, which ffmpeg looks at again and again. */
const noLimit = -1

/** What ffmpeg answers if it cannot go on. */
const failed = 1

/** How ffmpeg says that a picture exceeds the limit. It goes on without it. */
const oversized = /\] Picture size (\d+)x(\d+) exceeds specified max pixel count /

/** Runs commands on one clip within the time limit of its medium. */
export class CoreCommands {
  readonly #factory: FfmpegCoreFactory
  readonly #module: WebAssembly.Module
  readonly #clip: CoreClip
  readonly #budget: TimeBudget

  constructor(factory: FfmpegCoreFactory, module: WebAssembly.Module, clip: CoreClip) {
    this.#factory = factory
    this.#module = module
    this.#clip = clip
    this.#budget = clip.budget
  }

  /** Forces the sniffed container, and restricts access to the clip itself. */
  #inputOptions(): string[] {
    const { container, pixelsMax } = this.#clip
    // Buffers are a little wider than pictures.
    const options = ['-protocol_whitelist', 'file', '-max_pixels', `${Math.ceil(1.1 * pixelsMax)}`]
    return [...options, '-f', container, '-i', '/clip']
  }

  /** Runs work in a new instance. Any failure means that the clip is damaged, unless the time is up. */
  async #run<T>(work: (core: FfmpegCore) => T): Promise<T> {
    this.#budget.check()
    const core = await startCore(this.#factory, this.#module)
    core.FS.writeFile('/clip', this.#clip.bytes, { canOwn: true })
    Object.defineProperty(core, 'timeout', { get: () => (this.#budget.leftMs() > 0 ? noLimit : 0) })
    try {
      return this.#budget.time(() => work(core))
    } catch (cause) {
      if (cause instanceof AppError) throw cause
      throw damagedClip(cause)
    } finally {
      this.#budget.check()
    }
  }

  /** @throws {AppError} the errors of `readProbe` */
  probe(): Promise<CoreFacts> {
    return this.#run((core) => {
      const packets = ['-read_intervals', `%+#${packetsMax}`]
      const wanted = [...packets, '-select_streams', 'v:0', '-show_entries', probeEntries]
      // Returns -1 even on success; the output file tells.
      core.ffprobe('-v', 'error', ...this.#inputOptions(), ...wanted, '-of', 'json', '-o', '/facts.json')
      return readProbe(new TextDecoder().decode(core.FS.readFile('/facts.json')))
    })
  }

  /**
   * Copies the beginning of the clip, with the first of its sounds if that can be written, to a file of the same kind.
   * @returns `null` if it cannot be written
   * @throws {AppError} `media_unreadable` if the time is up
   */
  async crop(mimeType: string, durationS: number): Promise<Uint8Array | null> {
    const writer = writers[mimeType]
    invariant(writer !== undefined, `clips of the type ${mimeType} can be written`)
    const copy = (sounds: readonly string[]) =>
      this.#run((core) => {
        const streams = ['-map', '0:v:0', ...sounds, '-c', 'copy', '-t', `${durationS}`]
        try {
          const code = core.exec('-v', 'error', ...this.#inputOptions(), ...streams, '-f', writer, '/cropped')
          return code === 0 ? core.FS.readFile('/cropped') : null
        } catch {
          return null
        }
      })
    return (await copy(['-map', '0:a:0?'])) ?? (await copy([]))
  }

  /**
   * Decodes pictures, each in its own shape.
   * @throws {AppError} `media_unreadable` if one of them exceeds the limits
   */
  pictures(command: PicturesCommand): Promise<DecodedPictures> {
    const { sideMax, isWanted, isEnough } = command
    const check = (stored: Size) => checkPictureSize(stored, this.#clip.pixelsMax)
    return this.#run((core) => {
      const collector = new FrameCollector(
        (stored) => fitSize(stored, sideMax),
        ({ timeS, stored }) => {
          check(stored)
          return isWanted(timeS)
        },
      )
      let decoded = 0
      let refusal: unknown = null
      core.setLogger(({ message }) => {
        const [, width, height] = oversized.exec(message) ?? []
        try {
          if (height !== undefined) check({ width: Number(width), height: Number(height) })
          collector.readLog(message)
        } catch (cause) {
          // What is thrown here is lost: the core takes it for a failed output.
          refusal ??= cause
        }
        decoded = Number(/^ {2}Input stream .* (\d+) frames decoded/.exec(message)?.[1] ?? decoded)
      })
      mountDevice(core, '/frames', (bytes) => {
        if (refusal) throw refusal
        collector.write(bytes)
        if (collector.isComplete && isEnough(collector.keptBytes)) throw new Stop()
      })
      let isStopped = false
      try {
        const code = core.exec(...argumentsOf(command, this.#inputOptions()))
        // Pictures that are damaged are skipped. What ends ffmpeg would leave the rest of the clip unseen.
        if (code === failed) refusal ??= damagedClip()
      } catch (cause) {
        if (!(cause instanceof Stop)) throw cause
        isStopped = true
      }
      if (refusal) throw refusal
      return { pictures: collector.pictures(), decoded, isStopped }
    })
  }
}
