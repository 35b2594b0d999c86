/** A decoder that is a module of `wasm/`, with the memory and the drawing of `wasm/clip`. One instance per stream. */
import type { RgbaImage, Size } from '../../rgba-image.ts'
import type { ClipDecoder, ClipPicture } from './clip-codec.ts'

/** Functions that all modules have; addresses and sizes in bytes. */
export interface ModuleExports {
  memory: WebAssembly.Memory
  open(pixelsMax: number, memoryBytesMax: number): void
  input(bytes: number): number
  decode(): number
  flush?(): void
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
export interface PlanarPicture extends ClipPicture {
  /** Rows lie `stride` bytes apart, those of `u` and `v` `chromaStride`. */
  y: Uint8Array
  u: Uint8Array
  v: Uint8Array
  stride: number
  chromaStride: number
  /** Values from 0 to 255 instead of 16 to 235. */
  isFullRange: boolean
  /** `matrix_coefficients` of H.264 (Table E-5); 2 if not said. */
  matrix: number
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
function setColours(exports: ModuleExports, { matrix, isFullRange }: PlanarPicture, isPaired: boolean): void {
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

/** It may be used further after a sample that was not decoded as a whole. */
export abstract class ModuleDecoder<Exports extends ModuleExports> implements ClipDecoder<PlanarPicture> {
  protected readonly exports: Exports
  #refusal: ClipDecoder['refusal'] = null

  constructor(exports: Exports) {
    this.exports = exports
  }

  /** Begins a sample that was put at `input`. */
  protected abstract begin(bytes: number, tag: number, skipsOthers: boolean): void

  get refusal(): ClipDecoder['refusal'] {
    return this.#refusal
  }

  /** @returns whether there is enough memory */
  protected put(bytes: Uint8Array): boolean {
    const at = this.exports.input(bytes.length)
    this.#refusal = at === 0 ? 'too_large' : null
    if (at === 0) return false
    new Uint8Array(this.exports.memory.buffer).set(bytes, at)
    return true
  }

  /** @returns whether it is to be called again */
  protected step(): boolean {
    const result = this.exports.decode()
    this.#refusal = refusals[result] ?? null
    return result === more
  }

  *#take(): Generator<PlanarPicture, void> {
    for (let at = this.exports.next(); at !== 0; at = this.exports.next()) {
      const { buffer } = this.exports.memory
      const [y, u, v, stride, chromaStride, width, height, isKey, , isFullRange, matrix] = [
        ...new Int32Array(buffer, at, 11),
      ] as [number, number, number, number, number, number, number, number, number, number, number]
      const plane = (start: number, rows: number, columns: number, rowBytes: number) =>
        new Uint8Array(buffer, start, (rows - 1) * rowBytes + columns)
      const [chromaWidth, chromaHeight] = [(width + 1) >> 1, (height + 1) >> 1]
      yield {
        tag: new Float64Array(buffer, at + 48, 1)[0]!,
        width,
        height,
        y: plane(y, height, width, stride),
        u: plane(u, chromaHeight, chromaWidth, chromaStride),
        v: plane(v, chromaHeight, chromaWidth, chromaStride),
        stride,
        chromaStride,
        isKey: isKey === 1,
        isFullRange: isFullRange === 1,
        matrix,
      }
    }
  }

  *decode(sample: Uint8Array, tag: number, skipsOthers = false): Generator<PlanarPicture, void> {
    if (!this.put(sample)) return
    this.begin(sample.length, tag, skipsOthers)
    for (let isMore = true; isMore; ) {
      isMore = this.step()
      yield* this.#take()
    }
  }

  size(): Size | null {
    const at = this.exports.size()
    if (at === 0) return null
    const [width, height] = new Int32Array(this.exports.memory.buffer, at + 20, 2) as unknown as [
      number,
      number,
    ]
    return { width, height }
  }

  draw(picture: PlanarPicture, { width, height }: Size): RgbaImage | null {
    setColours(this.exports, picture, width % 2 === 0)
    const at = this.exports.draw(width, height)
    if (at === 0) return null
    const data = new Uint8ClampedArray(this.exports.memory.buffer, at, width * height * 4).slice()
    return { width, height, data }
  }

  *flush(): Generator<PlanarPicture, void> {
    this.exports.flush?.()
    yield* this.#take()
  }

  reset(): void {
    this.exports.reset()
  }
}
