/** Our own H.264 decoder: `wasm/h264`. One instance per stream. */
import type { RgbaImage, Size } from '../../rgba-image.ts'
import type { ClipDecoder, ClipPicture, DecoderLimits } from '../own/clip-codec.ts'

/** Functions of `wasm/h264/decoder.ts`; addresses and sizes in bytes. */
interface Exports {
  memory: WebAssembly.Memory
  open(pixelsMax: number, memoryBytesMax: number): void
  input(bytes: number): number
  begin(bytes: number, lengthBytes: number, tag: number, skipsOthers: boolean): void
  decode(): number
  flush(): void
  reset(): void
  next(): number
  size(): number
  colours(scale: number, base: number, vRed: number, uBlue: number, uGreen: number, vGreen: number): void
  draw(width: number, height: number): number
}

const refusals: Readonly<Record<number, ClipDecoder['refusal']>> = {
  [-1]: 'damaged',
  [-2]: 'unsupported',
  [-3]: 'too_large',
}

/** A picture in 4:2:0. Planes are views of the decoder's memory: they hold until its next call. */
export interface H264Picture extends ClipPicture {
  /** Rows lie `stride` bytes apart, those of `u` and `v` `chromaStride`. */
  y: Uint8Array
  u: Uint8Array
  v: Uint8Array
  stride: number
  chromaStride: number
  /** Values from 0 to 255 instead of 16 to 235. */
  isFullRange: boolean
  /** `matrix_coefficients` (Table E-5); 2 if not said. */
  matrix: number
}

export interface H264Options extends DecoderLimits {
  /** Bytes of the length before each NAL unit, as in MP4; 0 for start codes. */
  lengthBytes: 0 | 1 | 2 | 4
}

const more = 1

/** Weights of V in red, of U in blue, of U and V in green. */
type Weights = readonly [vRed: number, uBlue: number, uGreen: number, vGreen: number]

/** In 16 bits for the narrow range, by `matrix_coefficients` (Table E-5); ITU-R BT.601 if not said. */
const weightsByMatrix: Readonly<Record<number, Weights>> = {
  1: [117_489, 138_438, 13_975, 34_925],
  4: [104_448, 132_798, 24_759, 53_109],
  7: [117_579, 136_230, 16_907, 35_559],
  9: [110_013, 140_363, 12_277, 42_626],
  10: [110_013, 140_363, 12_277, 42_626],
}
const ordinaryWeights: Weights = [104_597, 132_201, 25_675, 53_279]
const one = 2 ** 16

/** Prepares drawing, with the integers of FFmpeg's converter: its black is darker where columns come in pairs. */
function setColours(exports: Exports, { matrix, isFullRange }: H264Picture, isPaired: boolean): void {
  const scale = isFullRange ? one : Math.floor((one * 255) / 219)
  const narrowBase = isPaired ? 326 * scale - 400 * one : -16 * scale
  const base = isFullRange ? 0 : narrowBase
  const toSteps = (weight: number, sign: number) => {
    const ranged = isFullRange ? Math.floor((weight * 224) / 255) : weight
    return Math.trunc((sign * ranged * one + one / 2) / scale)
  }
  const [vRed, uBlue, uGreen, vGreen] = weightsByMatrix[matrix] ?? ordinaryWeights
  const steps = [toSteps(vRed, 1), toSteps(uBlue, 1), toSteps(uGreen, -1), toSteps(vGreen, -1)] as const
  exports.colours(scale, base + one / 2, ...steps)
}

/** Its samples are access units. It may be used further after one that was not decoded as a whole. */
export class H264Decoder implements ClipDecoder<H264Picture> {
  readonly #exports: Exports
  readonly #lengthBytes: number
  #refusal: ClipDecoder['refusal'] = null

  constructor(exports: Exports, lengthBytes: number) {
    this.#exports = exports
    this.#lengthBytes = lengthBytes
  }

  get refusal(): ClipDecoder['refusal'] {
    return this.#refusal
  }

  #begin(bytes: Uint8Array, lengthBytes: number, tag: number, skipsOthers: boolean): boolean {
    const at = this.#exports.input(bytes.length)
    this.#refusal = at === 0 ? 'too_large' : null
    if (at === 0) return false
    new Uint8Array(this.#exports.memory.buffer).set(bytes, at)
    this.#exports.begin(bytes.length, lengthBytes, tag, skipsOthers)
    return true
  }

  *#take(): Generator<H264Picture, void> {
    for (let at = this.#exports.next(); at !== 0; at = this.#exports.next()) {
      const { buffer } = this.#exports.memory
      const [y, u, v, stride, chromaStride, width, height, isKey, , isFullRange, matrix] = [
        ...new Int32Array(buffer, at, 11),
      ] as [number, number, number, number, number, number, number, number, number, number, number]
      const plane = (start: number, rows: number, columns: number, rowBytes: number) =>
        new Uint8Array(buffer, start, (rows - 1) * rowBytes + columns)
      yield {
        tag: new Float64Array(buffer, at + 48, 1)[0]!,
        width,
        height,
        y: plane(y, height, width, stride),
        u: plane(u, height >> 1, width >> 1, chromaStride),
        v: plane(v, height >> 1, width >> 1, chromaStride),
        stride,
        chromaStride,
        isKey: isKey === 1,
        isFullRange: isFullRange === 1,
        matrix,
      }
    }
  }

  /**
   * Reads parameter sets that come beside the stream.
   * @param sets NAL units of at most 65,535 bytes
   * @returns whether they can be used; if not, `refusal` says why
   */
  configure(sets: readonly Uint8Array[]): boolean {
    const units = sets.flatMap((set) => [set.length >> 8, set.length & 255, ...set])
    if (this.#begin(Uint8Array.from(units), 2, 0, false))
      this.#refusal = refusals[this.#exports.decode()] ?? null
    return this.#refusal === null
  }

  *decode(unit: Uint8Array, tag: number, skipsOthers = false): Generator<H264Picture, void> {
    if (!this.#begin(unit, this.#lengthBytes, tag, skipsOthers)) return
    for (let result = more; result === more; ) {
      result = this.#exports.decode()
      this.#refusal = refusals[result] ?? null
      yield* this.#take()
    }
  }

  /** Size of the pictures by the parameter sets; `null` if they say none that all decoders read alike. */
  size(): Size | null {
    const at = this.#exports.size()
    if (at === 0) return null
    const [width, height] = new Int32Array(this.#exports.memory.buffer, at + 20, 2) as unknown as [
      number,
      number,
    ]
    return { width, height }
  }

  draw(picture: H264Picture, { width, height }: Size): RgbaImage | null {
    setColours(this.#exports, picture, width % 2 === 0)
    const at = this.#exports.draw(width, height)
    if (at === 0) return null
    const data = new Uint8ClampedArray(this.#exports.memory.buffer, at, width * height * 4).slice()
    return { width, height, data }
  }

  *flush(): Generator<H264Picture, void> {
    this.#exports.flush()
    yield* this.#take()
  }

  reset(): void {
    this.#exports.reset()
  }
}

/** Opens a decoder on its compiled module, which may be shared. */
export async function openH264(
  module: WebAssembly.Module,
  { pixelsMax, memoryBytesMax, lengthBytes }: H264Options,
): Promise<H264Decoder> {
  const exports = (await WebAssembly.instantiate(module)).exports as unknown as Exports
  exports.open(pixelsMax, memoryBytesMax)
  return new H264Decoder(exports, lengthBytes)
}
