/** A fast JPEG encoder: baseline, 4:2:0, the Huffman tables of the standard. Its inner loops are `wasm/jpeg`. */

import { joinBytes } from '../../../join-bytes.ts'
import type { Codec, JpegRequest } from '../../codec.ts'
import type { RgbaImage, Size } from '../../rgba-image.ts'
import { openRowShrinker, type ShrinkExports, shrinkerBytes } from '../../row-shrinker.ts'
import {
  chromaAc,
  chromaDc,
  chromaSteps,
  type HuffmanTable,
  listCodes,
  lumaAc,
  lumaDc,
  lumaSteps,
  zigzagPlaces,
} from './jpeg-tables.ts'

/** Functions of `wasm/jpeg/encode.ts`; addresses in bytes. */
interface EncoderExports extends ShrinkExports {
  encoderMemory(): number
  startEncoding(work: number): void
  encodeRow(pixels: number, width: number, rows: number, to: number): number
  finishEncoding(to: number): number
}

const sideMax = 65_535
/** Layout of the working memory, as in `wasm/jpeg/encode.ts`. */
const codesAt = 512
const codesBytes = 272 * 4
const workBytes = 32 * 1024
const mcuSide = 16
const mcuBytesMax = 2600
const pageBytes = 65_536

const roundUp = (address: number): number => Math.ceil(address / 16) * 16

/** Scales a quantisation table as usual: quality 50 is the table itself, 100 has steps of 1. */
function scaleSteps(steps: readonly number[], quality: number): number[] {
  const share = quality < 50 ? 50 / Math.max(1, quality) : 2 - quality / 50
  return steps.map((step) => Math.min(255, Math.max(1, Math.round(step * share))))
}

/** Factors that turn the output of the forward DCT, which lacks its scale factors, into quantised coefficients. */
function toDivisors(steps: readonly number[]): Float32Array {
  const scale = (k: number) => (k === 0 ? 1 : Math.SQRT2 * Math.cos((k * Math.PI) / 16))
  return Float32Array.from(steps, (step, place) => 1 / (8 * scale(place >> 3) * scale(place & 7) * step))
}

/** Codes by value, `code << 8 | bits`. */
function packCodes(table: HuffmanTable, length: number): Uint32Array {
  const packed = new Uint32Array(length)
  for (const { value, code, bits } of listCodes(table)) packed[value] = (code << 8) | bits
  return packed
}

const segment = (marker: number, content: readonly number[]): number[] => [
  0xff,
  marker,
  (content.length + 2) >> 8,
  (content.length + 2) & 255,
  ...content,
]

const stepsSegment = (id: number, steps: readonly number[]): number[] =>
  segment(0xdb, [id, ...zigzagPlaces.map((place) => steps[place]!)])

const codesSegment = (id: number, { counts, values }: HuffmanTable): number[] =>
  segment(0xc4, [id, ...counts, ...values])

/** All segments before the coded data (T.81, annex B; T.871). */
function writeHeader(
  { width, height }: Size,
  luma: readonly number[],
  chroma: readonly number[],
): Uint8Array {
  const jfif = [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]
  const frame = [8, height >> 8, height & 255, width >> 8, width & 255, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
  return Uint8Array.from([
    ...[0xff, 0xd8],
    ...segment(0xe0, jfif),
    ...stepsSegment(0, luma),
    ...stepsSegment(1, chroma),
    ...segment(0xc0, frame),
    ...codesSegment(0x00, lumaDc),
    ...codesSegment(0x10, lumaAc),
    ...codesSegment(0x01, chromaDc),
    ...codesSegment(0x11, chromaAc),
    ...segment(0xda, [3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0]),
  ])
}

const codeTables: readonly (readonly [dc: HuffmanTable, ac: HuffmanTable])[] = [
  [lumaDc, lumaAc],
  [chromaDc, chromaAc],
]

/**
 * Opens the encoder. It holds 16 rows of the picture at a time, and shrinks it by area
 * averaging if another size is asked for.
 *
 * `run` throws an `Error` for a picture with a side of more than 65 535 pixels.
 */
export function openJpegEncoder(compiled: WebAssembly.Module): Codec<JpegRequest, Uint8Array> {
  const kernel = new WebAssembly.Instance(compiled).exports as unknown as EncoderExports
  const { memory } = kernel
  const work = roundUp(kernel.encoderMemory())
  const pixelsAt = work + workBytes

  function reserve(bytes: number): Uint8Array {
    const missing = Math.ceil((bytes - memory.buffer.byteLength) / pageBytes)
    if (missing > 0) memory.grow(missing)
    return new Uint8Array(memory.buffer)
  }

  function start(luma: readonly number[], chroma: readonly number[]): void {
    for (const [i, steps] of [luma, chroma].entries()) {
      new Float32Array(memory.buffer, work + i * 256, 64).set(toDivisors(steps))
      const [dc, ac] = codeTables[i]!
      const codes = new Uint32Array(memory.buffer, work + codesAt + i * codesBytes, 272)
      codes.set(packCodes(dc, 16))
      codes.set(packCodes(ac, 256), 16)
    }
    kernel.startEncoding(work)
  }

  /** Prepares writing the next rows of the picture to the memory, shrunk if a size is given. */
  function openRows(image: RgbaImage, size: Size, at: number): (rows: number) => void {
    const rowBytes = size.width * 4
    let row = 0
    if (size.width === image.width && size.height === image.height) {
      const bytes = new Uint8Array(memory.buffer)
      return (rows) => {
        bytes.set(image.data.subarray(row * rowBytes, (row + rows) * rowBytes), pixelsAt)
        row += rows
      }
    }
    const shrinker = openRowShrinker(kernel, at, image, size)
    return (rows) => {
      for (let i = 0; i < rows; i++) shrinker.writeRow(pixelsAt + i * rowBytes)
    }
  }

  return {
    run({ image, quality, size = image }) {
      const { width, height } = size
      if (Math.max(width, height) > sideMax) throw new Error(`a JPEG has sides of at most ${sideMax} pixels`)
      const [luma, chroma] = [scaleSteps(lumaSteps, quality), scaleSteps(chromaSteps, quality)]
      const codedAt = pixelsAt + width * mcuSide * 4
      const shrinkerAt = roundUp(codedAt + Math.ceil(width / mcuSide) * mcuBytesMax)
      const bytes = reserve(shrinkerAt + shrinkerBytes(image.width, width))
      start(luma, chroma)
      const writeRows = openRows(image, size, shrinkerAt)
      const parts = [writeHeader(size, luma, chroma)]
      for (let y = 0; y < height; y += mcuSide) {
        const rows = Math.min(mcuSide, height - y)
        writeRows(rows)
        const length = kernel.encodeRow(pixelsAt, width, rows, codedAt)
        parts.push(bytes.slice(codedAt, codedAt + length))
      }
      parts.push(bytes.slice(codedAt, codedAt + kernel.finishEncoding(codedAt)), Uint8Array.of(0xff, 0xd9))
      return joinBytes(parts)
    },
    heapBytes: () => memory.buffer.byteLength,
  }
}
