/** Shrinks a picture by area averaging, some rows at a time, in the memory of a WebAssembly module. */
import type { RgbaImage } from './rgba-image.ts'

/** Functions of `wasm/jpeg/shrink.ts`; addresses in bytes. */
export interface ShrinkExports {
  memory: WebAssembly.Memory
  addRow(line: number, pixels: number, width: number, weight: number): void
  averageLine(line: number, spans: number, weights: number, width: number, to: number): void
}

/** The source cells that a target cell covers. */
interface Span {
  first: number
  /** Their weights, which add up to 256. */
  weights: number[]
}

/** Spans of `to` equal cells over `from` cells. */
export function coverCells(from: number, to: number): Span[] {
  const step = from / to
  return Array.from({ length: to }, (_, cell) => {
    const [left, right] = [cell * step, Math.min(from, (cell + 1) * step)]
    const first = Math.floor(left + 1e-9)
    const weights: number[] = []
    let before = 0
    for (let source = first; source < right - 1e-9; source++) {
      // Rounding the sums instead of the weights keeps the total.
      const covered = Math.round((256 * (Math.min(right, source + 1) - left)) / (right - left))
      weights.push(covered - before)
      before = covered
    }
    return { first, weights }
  })
}

/** Bytes of memory for the rows of a picture of `from` pixels in width, shrunk to `to`. */
export const shrinkerBytes = (from: number, to: number): number =>
  // A line of uint16, a row, spans, and at most two partly covered cells beside the whole ones of each span.
  from * 8 + from * 4 + to * 8 + (from + 2 * to) * 4 + 64

/** Writes the rows of a shrunk picture, from the first to the last. */
export interface RowShrinker {
  /** Writes the next row at an address. */
  writeRow(to: number): void
}

/**
 * @param at address of `shrinkerBytes` free bytes, a multiple of 16; the memory must not grow while the shrinker is used
 */
export function openRowShrinker(
  { memory, addRow, averageLine }: ShrinkExports,
  at: number,
  image: RgbaImage,
  size: { width: number; height: number },
): RowShrinker {
  const columns = coverCells(image.width, size.width)
  const rows = coverCells(image.height, size.height)
  const rowAt = at + image.width * 8
  const spansAt = Math.ceil((rowAt + image.width * 4) / 16) * 16
  const weightsAt = spansAt + size.width * 8
  const bytes = new Uint8Array(memory.buffer)
  new Int32Array(memory.buffer, spansAt, size.width * 2).set(
    columns.flatMap(({ first, weights }) => [first, weights.length]),
  )
  const weights = columns.flatMap((column) => column.weights)
  new Int32Array(memory.buffer, weightsAt, weights.length).set(weights)
  let row = 0
  return {
    writeRow(to) {
      const { first, weights } = rows[row++]!
      bytes.fill(0, at, rowAt)
      for (const [i, weight] of weights.entries()) {
        const from = (first + i) * image.width * 4
        bytes.set(image.data.subarray(from, from + image.width * 4), rowAt)
        addRow(at, rowAt, image.width, weight)
      }
      averageLine(at, spansAt, weightsAt, size.width, to)
    },
  }
}
