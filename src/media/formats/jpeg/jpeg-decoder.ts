/** Our own JPEG decoder: pictures at 1/1, 1/2, 1/4 and 1/8, and single pixels of them. Its inner loops are `wasm/jpeg`. */
import { cannotOpen } from '../../codec.ts'
import { incomplete } from '../../incomplete.ts'
import type { RgbaImage, Size } from '../../rgba-image.ts'

/** Functions of `wasm/jpeg/decode.ts`; addresses in bytes, results below 0 are refusals. */
interface DecoderExports {
  memory: WebAssembly.Memory
  decoderMemory(): number
  openPicture(start: number, end: number): number
  pictureWidth(): number
  pictureHeight(): number
  startRows(scale: number): number
  bandAddress(): number
  writeRows(): number
  reservePick(bytes: number): number
  pick(columns: number, columnCount: number, rows: number, rowCount: number, to: number): number
}

/** Why a file is not decoded. */
export type JpegRefusal = 'unsupported' | 'damaged' | 'too large'

const refusals: Readonly<Record<number, JpegRefusal>> = {
  [-1]: 'unsupported',
  [-2]: 'damaged',
  [-3]: 'too large',
}

export class JpegRefused extends Error {
  readonly reason: JpegRefusal

  constructor(code: number) {
    const reason = refusals[code] ?? 'damaged'
    super(`the JPEG is ${reason}`)
    this.reason = reason
  }
}

const incompleteFile = -4

/** @throws {AppError} `media_unreadable` for incomplete files, which no decoder should fill */
function check(result: number): number {
  if (result === incompleteFile) throw incomplete('JPEG')
  if (result < 0) throw new JpegRefused(result)
  return result
}

/** The picture at 1/1, 1/2, 1/4, 1/8: how often its sides are halved. */
export type JpegScale = 0 | 1 | 2 | 3

export const jpegScaleMax = 3

/** A file whose coded data are read when pixels are asked for. Sides at a scale are rounded down. */
export interface JpegPicture extends Size {
  /**
   * Decodes the whole picture. A pixel at a smaller scale is the average of 2 × 2, 4 × 4 or 8 × 8 pixels.
   * @throws {JpegRefused} if the coded data are damaged
   */
  decode(scale: JpegScale): RgbaImage
  /**
   * Decodes the pixels at the crossings of some columns and rows, and little else. The picture must have been decoded before
   * at any scale.
   * @param columns ascending, in pixels at that scale
   * @param rows ascending
   */
  pick(scale: JpegScale, columns: Int32Array, rows: Int32Array): RgbaImage
}

/** A decoder with a memory of its own, which holds one file. */
export interface JpegDecoder {
  /**
   * Opens a file. The picture that was opened before it must not be used any more.
   * @throws {JpegRefused} for files that are damaged, and for kinds that only other decoders read
   */
  open(bytes: Uint8Array): JpegPicture
  /** Size of the memory in bytes. */
  heapBytes(): number
}

/** A picture that occupies a decoder until it is closed. */
export interface OpenJpeg extends JpegPicture {
  close(): void
}

const pageBytes = 65_536
/** A marker behind the file, at which reading stops. */
const endMarker = [0xff, 0xd9, 0, 0, 0, 0, 0, 0]

type TakePixels = (bytes: number) => Uint8ClampedArray<ArrayBuffer>

/**
 * Opens the decoder.
 * @param takePixels gets room for a whole picture
 */
export function openJpegDecoder(
  compiled: WebAssembly.Module,
  takePixels: TakePixels = (bytes) => new Uint8ClampedArray(bytes),
): JpegDecoder {
  const kernel = new WebAssembly.Instance(compiled).exports as unknown as DecoderExports
  const { memory } = kernel
  const fileAt = Math.ceil(kernel.decoderMemory() / 16) * 16

  function writeFile(bytes: Uint8Array): number {
    const end = fileAt + bytes.length
    const missing = Math.ceil((end + 32 - memory.buffer.byteLength) / pageBytes)
    if (missing > 0) memory.grow(missing)
    const heap = new Uint8Array(memory.buffer)
    heap.set(bytes, fileAt)
    heap.set(endMarker, end)
    return end
  }

  function decode(size: Size, scale: JpegScale): RgbaImage {
    check(kernel.startRows(scale))
    const [width, height] = [size.width >> scale, size.height >> scale]
    const data = takePixels(width * height * 4)
    const band = kernel.bandAddress()
    for (let at = 0; ; ) {
      const bytes = check(kernel.writeRows()) * width * 4
      if (bytes === 0) return { width, height, data }
      data.set(new Uint8Array(memory.buffer, band, bytes), at)
      at += bytes
    }
  }

  function pick(scale: JpegScale, columns: Int32Array, rows: Int32Array): RgbaImage {
    const [width, height] = [columns.length, rows.length]
    check(kernel.startRows(scale))
    const columnsAt = check(kernel.reservePick((width + height) * 4 + width * height * 4))
    const rowsAt = columnsAt + width * 4
    const to = rowsAt + height * 4
    new Int32Array(memory.buffer, columnsAt, width).set(columns)
    new Int32Array(memory.buffer, rowsAt, height).set(rows)
    check(kernel.pick(columnsAt, width, rowsAt, height, to))
    return { width, height, data: new Uint8ClampedArray(memory.buffer.slice(to, to + width * height * 4)) }
  }

  return {
    open(bytes) {
      check(kernel.openPicture(fileAt, writeFile(bytes)))
      const size = { width: kernel.pictureWidth(), height: kernel.pictureHeight() }
      return {
        ...size,
        decode: (scale) => decode(size, scale),
        pick: (scale, columns, rows) => pick(scale, columns, rows),
      }
    },
    heapBytes: () => memory.buffer.byteLength,
  }
}

/** Larger memories are not kept for the next picture, unless another limit is given: they never shrink. */
const heapBytesKeptUsual = 24 * 2 ** 20

/**
 * Opens files, each with a decoder of its own; the memory of a closed picture serves the next one.
 * @returns opens a file; throws `JpegRefused`, and `internal` if the decoder cannot be opened
 */
export function openJpegReader(
  compiled: WebAssembly.Module,
  heapBytesKept = heapBytesKeptUsual,
  takePixels?: TakePixels,
): (bytes: Uint8Array) => OpenJpeg {
  let free: JpegDecoder | null = null
  const open = (): JpegDecoder => {
    try {
      return openJpegDecoder(compiled, takePixels)
    } catch (thrown) {
      throw cannotOpen(thrown)
    }
  }
  return (bytes) => {
    const decoder = free ?? open()
    free = null
    const close = () => {
      if (decoder.heapBytes() <= heapBytesKept) free = decoder
    }
    try {
      return { ...decoder.open(bytes), close }
    } catch (thrown) {
      close()
      throw thrown
    }
  }
}
