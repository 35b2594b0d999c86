/** The two commands that are given to ffmpeg's core, for one clip. Each runs in an instance of its own. */
import { AppError } from '../../errors.ts'
import type { RawFacts } from './check-clip.ts'
import { type FfmpegCore, type FfmpegCoreFactory, mountDevice, startCore } from './core-instance.ts'
import { probeEntries, readProbe } from './core-probe.ts'
import { FrameCollector, type TimedImage } from './frame-collector.ts'
import type { VideoContainer } from './sniff-video.ts'
import { TimeBudget } from './time-budget.ts'

/** Packets that are looked at: those of ten minutes at sixty pictures a second, and an end to what a file may cost. */
const packetsMax = 40_000

export interface CoreClip {
  bytes: Uint8Array
  container: VideoContainer
  pixelsMax: number
  timeMaxMs: number
}

export interface FramesCommand {
  /** An expression of the filter `select`, where `t` begins with the first picture. */
  selection: string
  /** Stops after so many pictures; `null`: decodes to the end. */
  count: number | null
  /** Of the pictures, as stored. */
  width: number
  height: number
}

/** What a run came to. */
export interface DecodedFrames {
  frames: TimedImage[]
  /** Pictures that were decoded on the way; 0 when the run broke off. */
  decoded: number
}

/** Runs commands over one clip, within its time. */
export class CoreCommands {
  readonly #factory: FfmpegCoreFactory
  readonly #module: WebAssembly.Module
  readonly #clip: CoreClip
  readonly #budget: TimeBudget

  constructor(factory: FfmpegCoreFactory, module: WebAssembly.Module, clip: CoreClip) {
    this.#factory = factory
    this.#module = module
    this.#clip = clip
    this.#budget = new TimeBudget(clip.timeMaxMs)
  }

  /** Opened as what it was sniffed to be, and with no way to anything but itself. */
  #inputOptions(): string[] {
    const { container, pixelsMax } = this.#clip
    const options = ['-protocol_whitelist', 'file', '-max_pixels', `${pixelsMax}`]
    return [...options, '-f', container, '-i', '/clip']
  }

  /** Whatever the core trips over is the clip's fault, unless its time was up. */
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

  /** @throws {AppError} as `readProbe` */
  probe(): Promise<RawFacts> {
    return this.#run((core) => {
      const packets = ['-read_intervals', `%+#${packetsMax}`]
      const wanted = [...packets, '-select_streams', 'v:0', '-show_entries', probeEntries]
      // Answers -1 whether it succeeds or not: the file tells.
      core.ffprobe('-v', 'error', ...this.#inputOptions(), ...wanted, '-of', 'json', '-o', '/facts.json')
      return readProbe(new TextDecoder().decode(core.FS.readFile('/facts.json')))
    })
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
