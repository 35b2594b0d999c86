/** Shrinks and warps pictures, in the memory of the WebAssembly module built from `wasm/picture`. */
import type { RgbaImage, Size } from './rgba-image.ts'

/** Functions of `wasm/picture/kernel.ts`; addresses in bytes. */
interface KernelExports {
  halve(from: number, rowBytes: number, width: number, rows: number, to: number): void
  addRow(line: number, pixels: number, spans: number, weights: number, cells: number, share: number): void
  writeLine(line: number, cells: number, to: number): void
  warp(
    from: number,
    rowBytes: number,
    left: number,
    top: number,
    right: number,
    bottom: number,
    xx: number,
    xy: number,
    yx: number,
    yy: number,
    tx: number,
    ty: number,
    isBlackOutside: boolean,
    width: number,
    firstRow: number,
    endRow: number,
    out: number,
    plane: number,
    red: number,
    blue: number,
  ): void
}

/** A part of an image, in whole pixels. */
export interface PixelBox extends Size {
  x: number
  y: number
}

/** A part of a picture in memory, or all of it. */
export interface PicturePart {
  image: RgbaImage
  /** Place of the part in the picture. */
  left: number
  top: number
  /** Size of the whole picture. */
  whole: Size
}

/** What a crop shows, and how. */
export interface Crop extends Size {
  /** Maps a pixel of the crop to the picture: x to `xx · x + xy · y + tx`, y likewise; whole numbers are pixel centres. */
  map: { xx: number; xy: number; yx: number; yy: number; tx: number; ty: number }
  /** Order of the three planes. */
  order: 'rgb' | 'bgr'
  /** Value outside the picture: the nearest border pixel, or black. */
  outside: 'border' | 'black'
}

/** Works on pictures of any size, some rows at a time, in little memory. */
export interface PictureKernel {
  /**
   * Halves both sides by averaging 2 × 2 pixels; drops an odd last row or column.
   * @param box what to halve; default: the whole image
   */
  halve(image: RgbaImage, box?: PixelBox): RgbaImage
  /**
   * Shrinks a picture by area averaging.
   * @returns the picture itself if the target size is not smaller
   */
  shrink(image: RgbaImage, width: number, height: number): RgbaImage
  /**
   * Samples a crop bilinearly.
   * @param part contains what the crop shows of the picture
   * @returns float32 planes `[3,height,width]`, values 0…255; `NaN` if the map is not finite
   */
  warp(part: PicturePart, crop: Crop): Float32Array
}

const pageBytes = 65_536
/** The first address in use. */
const start = 1024
/** Bytes of a picture that are worked on at once: they fit into the processor's cache. */
const bandBytes = 2 ** 17

/** The source cells that each target cell covers, and their weights; the weights of one target cell add up to 1. */
interface Coverage {
  /** First source cell and number of them, of each target cell. */
  spans: Uint32Array
  weights: Float32Array
}

function computeCoverage(from: number, to: number): Coverage {
  const step = from / to
  const spans = new Uint32Array(to * 2)
  const weights: number[] = []
  for (let cell = 0; cell < to; cell++) {
    const [left, right] = [cell * step, (cell + 1) * step]
    const [first, last] = [Math.floor(left), Math.min(from, Math.ceil(right - 1e-9))]
    spans.set([first, last - first], cell * 2)
    for (let source = first; source < last; source++)
      weights.push((Math.min(right, source + 1) - Math.max(left, source)) / step)
  }
  return { spans, weights: Float32Array.from(weights) }
}

/** The whole pixels between which four places lie, limited to the picture. */
function spanPixels(a: number, b: number, c: number, d: number, last: number): [first: number, last: number] {
  const first = Math.floor(Math.min(last, Math.max(0, Math.min(a, b, c, d))))
  const end = Math.floor(Math.min(last, Math.max(0, a, b, c, d)))
  return [first, Math.min(last, end + 1)]
}

/** The pixels of the picture that some rows of a crop touch. */
function touchedBy({ map, width }: Crop, whole: Size, firstRow: number, endRow: number): PixelBox {
  const { xx, xy, yx, yy, tx, ty } = map
  const [right, end] = [width - 1, endRow - 1]
  const [first, last] = spanPixels(
    ...([xy * firstRow + tx, xx * right + xy * firstRow + tx] as const),
    ...([xy * end + tx, xx * right + xy * end + tx] as const),
    whole.width - 1,
  )
  const [top, bottom] = spanPixels(
    ...([yy * firstRow + ty, yx * right + yy * firstRow + ty] as const),
    ...([yy * end + ty, yx * right + yy * end + ty] as const),
    whole.height - 1,
  )
  return { x: first, y: top, width: last - first + 1, height: bottom - top + 1 }
}

/** Rows of the picture per row of a crop from which on those between are not copied. */
const sparseFrom = 4

const sizeOf = ({ width, height }: Size): Size => ({ width, height })

const toBlocks = (bytes: number): number => Math.ceil(bytes / 16) * 16

/** @param compiled from `wasm/picture/kernel.wasm` */
export function openPictureKernel(compiled: WebAssembly.Module): PictureKernel {
  const memory = new WebAssembly.Memory({ initial: 4 })
  const kernel = new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as KernelExports

  /** The memory, with room up to an address. */
  function reserve(end: number): Uint8Array {
    const missing = end - memory.buffer.byteLength
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes))
    return new Uint8Array(memory.buffer)
  }

  /** Copies a box of an image; its rows follow one another. */
  function copyBox({ width, data }: RgbaImage, box: PixelBox, to: number): void {
    const heap = reserve(to + box.width * box.height * 4)
    const rows = box.width === width ? 1 : box.height
    const bytes = (box.width * box.height * 4) / rows
    for (let row = 0; row < rows; row++) {
      const from = ((box.y + row) * width + box.x) * 4
      heap.set(data.subarray(from, from + bytes), to + row * bytes)
    }
  }

  function halve(image: RgbaImage, box: PixelBox = { x: 0, y: 0, ...sizeOf(image) }): RgbaImage {
    const [width, height] = [box.width >> 1, box.height >> 1]
    const data = new Uint8ClampedArray(width * height * 4)
    const rowBytes = box.width * 4
    const rows = Math.max(1, Math.min(height, Math.floor(bandBytes / (2 * rowBytes))))
    const to = start + toBlocks(2 * rows * rowBytes)
    const heap = reserve(to + rows * width * 4)
    for (let y = 0; y < height; y += rows) {
      const count = Math.min(rows, height - y)
      copyBox(image, { ...box, y: box.y + 2 * y, height: 2 * count }, start)
      kernel.halve(start, rowBytes, width, count, to)
      data.set(heap.subarray(to, to + count * width * 4), y * width * 4)
    }
    return { width, height, data }
  }

  function shrink(image: RgbaImage, width: number, height: number): RgbaImage {
    if (width >= image.width && height >= image.height) return image
    const [columns, rows] = [computeCoverage(image.width, width), computeCoverage(image.height, height)]
    const data = new Uint8ClampedArray(width * height * 4)
    const spans = start + width * 16
    const weights = spans + width * 8
    const pixels = weights + columns.weights.byteLength
    const to = pixels + image.width * 4
    const heap = reserve(to + width * 4)
    heap.fill(0, start, spans)
    new Uint32Array(memory.buffer, spans, width * 2).set(columns.spans)
    new Float32Array(memory.buffer, weights, columns.weights.length).set(columns.weights)
    for (let y = 0, k = 0; y < height; y++) {
      const [first, count] = [rows.spans[y * 2]!, rows.spans[y * 2 + 1]!]
      for (let row = first; row < first + count; row++) {
        heap.set(image.data.subarray(row * image.width * 4, (row + 1) * image.width * 4), pixels)
        kernel.addRow(start, pixels, spans, weights, width, rows.weights[k++]!)
      }
      kernel.writeLine(start, width, to)
      data.set(heap.subarray(to, to + width * 4), y * width * 4)
    }
    return { width, height, data }
  }

  function warp(part: PicturePart, crop: Crop): Float32Array {
    const { width, height, order, outside } = crop
    const { xx, xy, yx, yy, tx, ty } = crop.map
    const { image, left, top, whole } = part
    // A degenerate face has no place: engines refuse what is no number.
    if (![xx, xy, yx, yy, tx, ty].every(Number.isFinite))
      return new Float32Array(width * height * 3).fill(Number.NaN)
    const plane = width * height * 4
    const pixels = start + toBlocks(plane * 3)
    reserve(pixels).fill(0, start, pixels)
    const all = touchedBy(crop, whole, 0, height)
    const isSparse = yx === 0 && Math.abs(yy) >= sparseFrom
    const rows = isSparse ? 1 : Math.max(1, Math.floor((height * bandBytes) / (all.width * all.height * 4)))
    for (let row = 0; row < height; row += rows) {
      const end = Math.min(height, row + rows)
      const box = touchedBy(crop, whole, row, end)
      reserve(pixels + (box.height + 1) * box.width * 4 + 8)
      copyBox(image, { ...box, x: box.x - left, y: box.y - top }, pixels)
      kernel.warp(
        ...([pixels, box.width * 4, box.x, box.y, whole.width - 1, whole.height - 1] as const),
        ...([xx, xy, yx, yy, tx, ty, outside === 'black', width, row, end, start, plane] as const),
        order === 'rgb' ? 0 : plane * 2,
        order === 'rgb' ? plane * 2 : 0,
      )
    }
    return new Float32Array(memory.buffer, start, width * height * 3).slice()
  }

  return { halve, shrink, warp }
}
