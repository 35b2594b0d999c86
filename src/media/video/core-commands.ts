/** The commands run with ffmpeg's core for a clip. Each runs in a new instance. */
import { AppError, invariant } from '../../errors.ts'
import type { RawFacts } from './check-clip.ts'
import { type FfmpegCore, type FfmpegCoreFactory, mountDevice, startCore } from './core-instance.ts'
import { probeEntries, readProbe } from './core-probe.ts'
import { FrameCollector, type TimedImage } from './frame-collector.ts'
import type { VideoContainer } from './sniff-video.ts'
import type { TimeBudget } from './time-budget.ts'

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

export interface FramesCommand {
  /** Expression for the filter `select`; `t` is 0 at the first picture. */
  selection: string
  /** Number of pictures after which decoding stops; `null` decodes to the end. */
  count: number | null
  /** Size of the output, before the orientation is applied. */
  width: number
  height: number
}

/** Result of a run. */
export interface DecodedFrames {
  frames: TimedImage[]
  /** Number of pictures decoded; 0 if the run was aborted. */
  decoded: number
}

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
    const options = ['-protocol_whitelist', 'file', '-max_pixels', `${pixelsMax}`]
    return [...options, '-f', container, '-i', '/clip']
  }

  /** Runs work in a new instance. Any failure means that the clip is damaged, unless the time is up. */
  async #run<T>(work: (core: FfmpegCore) => T): Promise<T> {
    this.#budget.check()
    const core = await startCore(this.#factory, this.#module)
    core.FS.writeFile('/clip', this.#clip.bytes, { canOwn: true })
    core.setTimeout(Math.ceil(this.#budget.leftMs()))
    try {
      return this.#budget.time(() => work(core))
    } catch (cause) {
      if (cause instanceof AppError) throw cause
      throw new AppError('media_unreadable', 'The video is damaged', { cause })
    } finally {
      this.#budget.check()
    }
  }

  /** @throws {AppError} the errors of `readProbe` */
  probe(): Promise<RawFacts> {
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

  /** Decodes from the start of the clip. */
  frames({ selection, count, width, height }: FramesCommand): Promise<DecodedFrames> {
    return this.#run((core) => {
      const collector = new FrameCollector(width, height)
      let decoded = 0
      core.setLogger(({ message }) => {
        collector.readLog(message)
        decoded = Number(/(\d+) frames decoded/.exec(message)?.[1] ?? decoded)
      })
      mountDevice(core, '/frames', (bytes) => collector.write(bytes))
      const scale = `scale=${width}:${height}:flags=area`
      const filters = `setpts=PTS-STARTPTS,select='${selection}',showinfo=checksum=0,${scale}`
      core.exec(
        ...['-v', 'verbose', '-noautorotate', ...this.#inputOptions(), '-map', '0:v:0', '-vf', filters],
        ...(count === null ? [] : ['-frames:v', `${count}`]),
        ...['-vsync', 'passthrough', '-pix_fmt', 'rgba', '-f', 'rawvideo', '/frames'],
      )
      return { frames: collector.frames(), decoded }
    })
  }
}
