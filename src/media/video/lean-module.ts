/** Binding of the lean decoder (`wasm/video/vd.c`): one instance per clip. */

import { AppError, invariant } from '../../errors.ts'
import { asciiText } from '../ascii.ts'
import type { Orientation } from '../exif.ts'
import type { RgbaImage, Size } from '../rgba-image.ts'
import { checkPictureSize, codecs, type RawFacts, wholeDurationMaxS } from './check-clip.ts'
import { type DisplayMatrix, findOrientation } from './display-matrix.ts'
import type { VideoContainer } from './formats/clip-format.ts'
import { damagedClip, tooLargeToDecode } from './unreadable-clip.ts'

interface Exports {
  memory: WebAssembly.Memory
  _initialize(): void
  malloc(bytes: number): number
  video_open(at: number, bytes: number, container: number, pixelsMax: number, packetsMax: number): number
  video_facts(): number
  video_codec(): number
  video_scan(secondsMax: number): number
  video_times(): number
  video_wanted(): number
  video_start(count: number, fromIndex: number): number
  video_next(): number
  video_time(): number
  video_size(): number
  video_decoded(): number
  video_pixels(width: number, height: number): number
}

const called: readonly (keyof Exports)[] = [
  'memory',
  '_initialize',
  'malloc',
  'video_open',
  'video_facts',
  'video_codec',
  'video_scan',
  'video_times',
  'video_wanted',
  'video_start',
  'video_next',
  'video_time',
  'video_size',
  'video_decoded',
  'video_pixels',
]

/** @throws {Error} if a compiled module was built from other sources: with it every clip would seem damaged */
export function checkModule(compiled: WebAssembly.Module): void {
  const found = new Set(WebAssembly.Module.exports(compiled).map(({ name }) => name))
  const missing = called.find((name) => !found.has(name))
  if (missing) throw new Error(`the video decoder lacks ${missing}: build it again (wasm/video/build.sh)`)
}

/** In the order of the module's container numbers. */
const containers: readonly VideoContainer[] = ['mov', 'matroska', 'avi', 'ogg', 'mpeg', 'mpegts', 'asf']

/** Result of a step. */
export const step = { done: 0, frame: 1, more: 2 } as const

/** Maximum number of packets: ten minutes at 240 pictures per second. */
const packetsMax = 144_000
/** Number of bytes that decoders may read past the end. */
const paddingBytes = 64
/** Maximum number of times that the module can hold. */
export const timesMax = 4096

/** What the module answers if a picture exceeds the limit, in the headers or on the way. */
const tooLarge = -4

const refusals: Record<number, () => AppError> = {
  [-1]: () => damagedClip(),
  [-2]: () => new AppError('media_unreadable', 'The file has no video stream', { reason: 'format' }),
  [-3]: () => {
    const expected = `one of ${[...codecs].join(', ')}`
    const message = `The codec of the video is not supported; send ${expected}`
    return new AppError('media_unsupported', message, { details: { expected }, reason: 'codec' })
  },
  [-5]: () =>
    new AppError('media_unreadable', 'The video has too many frames, or its index is damaged', {
      reason: 'too_costly',
    }),
  [-6]: tooLargeToDecode,
}

/** Error number (WASI `ENOSYS`) returned by every system call: there are no files, no clock and no environment. */
const notThere = 52

/** The module calls this after its memory has grown. What it throws ends the instance. */
const growthNotice = 'emscripten_notify_memory_growth'

function stubImports(module: WebAssembly.Module, onGrowth: () => void): WebAssembly.Imports {
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {}
  for (const { module: space, name } of WebAssembly.Module.imports(module)) {
    imports[space] ??= {}
    imports[space][name] = name === growthNotice ? onGrowth : () => notThere
  }
  return imports
}

function readSize({ memory, video_size }: Exports): Size {
  const [width = 0, height = 0] = new Float64Array(memory.buffer, video_size(), 2)
  return { width, height }
}

export interface LeanLimits {
  /** Maximum of width × height of a stored picture. */
  pixelsMax: number
  /** Maximum of the memory of an instance. */
  memoryBytesMax: number
}

/** Calls into the module for one clip. Any failure means that the clip is damaged; the instance is then never used again. */
export class LeanModule {
  #exports: Exports | null
  readonly #pixelsMax: number

  private constructor(exports: Exports, pixelsMax: number) {
    this.#exports = exports
    this.#pixelsMax = pixelsMax
  }

  /** Starts an instance of a compiled module and opens a clip in it. */
  static async open(
    compiled: WebAssembly.Module,
    bytes: Uint8Array,
    container: VideoContainer,
    { pixelsMax, memoryBytesMax }: LeanLimits,
  ): Promise<LeanModule> {
    const checkMemory = () => {
      if (memory.buffer.byteLength > memoryBytesMax) throw tooLargeToDecode()
    }
    if (bytes.length + paddingBytes > memoryBytesMax) throw tooLargeToDecode()
    const instance = await WebAssembly.instantiate(compiled, stubImports(compiled, checkMemory))
    const exports = instance.exports as unknown as Exports
    const { memory } = exports
    const module = new LeanModule(exports, pixelsMax)
    const opened = module.#call((exports) => {
      exports._initialize()
      const at = exports.malloc(bytes.length + paddingBytes)
      if (at === 0) return -6
      new Uint8Array(exports.memory.buffer).set(bytes, at)
      return exports.video_open(at, bytes.length, containers.indexOf(container), pixelsMax, packetsMax)
    })
    invariant(opened === step.done, 'the clip is open')
    return module
  }

  /** @throws {AppError} if the module refuses the clip or fails */
  #call(work: (exports: Exports) => number): number {
    invariant(this.#exports !== null, 'the clip was closed')
    try {
      const result = work(this.#exports)
      if (result === tooLarge) checkPictureSize(readSize(this.#exports), this.#pixelsMax)
      if (result < 0) throw refusals[result]?.() ?? new Error(`the decoder answered ${result}`)
      return result
    } catch (cause) {
      this.#exports = null
      if (cause instanceof AppError) throw cause
      throw damagedClip(cause)
    }
  }

  /** Reads more packets; returns `step.more` or `step.done`. */
  scan(): number {
    return this.#call((exports) => exports.video_scan(wholeDurationMaxS * 1.1))
  }

  facts(): RawFacts {
    let codec = ''
    const values: number[] = []
    let times: number[] = []
    this.#call((exports) => {
      values.push(...new Float64Array(exports.memory.buffer, exports.video_facts(), 12))
      times = [...new Float64Array(exports.memory.buffer, exports.video_times(), values[6])]
      const text = new Uint8Array(exports.memory.buffer, exports.video_codec(), 32)
      codec = asciiText(text, 0, text.indexOf(0))
      return step.done
    })
    const [width, height, a, b, c, d, packets, firstS, lastS, lastDurationS, declaredS, backSteps] =
      values as [...[number, number, ...DisplayMatrix], ...[number, number, number, number], number, number]
    const orientation: Orientation = findOrientation([a, b, c, d])
    const isWhole = !(lastS - firstS > wholeDurationMaxS)
    const timesS = times.filter((timeS) => !Number.isNaN(timeS))
    return {
      width,
      height,
      orientation,
      codec,
      packets,
      firstS,
      lastS,
      lastDurationS,
      isWhole,
      timesS,
      backSteps,
      declaredS,
    }
  }

  /** Starts decoding for some times; an empty list means all pictures. Seeks by the index if requested and possible. */
  start(timesS: readonly number[], fromIndex: boolean): void {
    this.#call((exports) => {
      new Float64Array(exports.memory.buffer, exports.video_wanted(), timesMax).set(timesS)
      return exports.video_start(timesS.length, fromIndex ? 1 : 0)
    })
  }

  /** Decodes at most one more picture. */
  next(): number {
    return this.#call((exports) => exports.video_next())
  }

  /** Time of the current picture in seconds from the first. */
  timeS(): number {
    let timeS = 0
    this.#call((exports) => {
      timeS = exports.video_time()
      return step.done
    })
    return timeS
  }

  /** Stored size of the current picture. */
  size(): Size {
    let size = { width: 0, height: 0 }
    this.#call((exports) => {
      size = readSize(exports)
      return step.done
    })
    return size
  }

  /** Number of pictures decoded since the start. */
  decoded(): number {
    return this.#call((exports) => exports.video_decoded())
  }

  /** The current picture, scaled, without applying its orientation. */
  pixels(width: number, height: number): RgbaImage {
    let data = new Uint8ClampedArray()
    this.#call((exports) => {
      const at = exports.video_pixels(width, height)
      if (at === 0) return -6
      data = new Uint8ClampedArray(exports.memory.buffer, at, width * height * 4).slice()
      return step.done
    })
    return { width, height, data }
  }

  close(): void {
    this.#exports = null
  }
}
