/** Moves pixels: shrinks whole pictures and cuts turned, scaled pieces out of them into the planes that networks take. */
import type { RgbaImage } from '../media/rgba-image.ts'
import type { Affine } from './geometry.ts'

/**
 * Shrinks a picture by averaging the area that each new pixel covers.
 * @returns the picture itself where it is not to be smaller
 */
export function shrinkImage(image: RgbaImage, width: number, height: number): RgbaImage {
  if (width >= image.width && height >= image.height) return image
  const columns = coverage(image.width, width)
  const rows = coverage(image.height, height)
  const data = new Uint8ClampedArray(width * height * 4)
  const line = new Float32Array(width * 3)
  for (let y = 0; y < height; y++) {
    line.fill(0)
    for (let k = rows.start[y]!; k < rows.start[y + 1]!; k++) {
      addRow(line, image, rows.index[k]!, rows.weight[k]!, columns)
    }
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4
      data[at] = line[x * 3]!
      data[at + 1] = line[x * 3 + 1]!
      data[at + 2] = line[x * 3 + 2]!
      data[at + 3] = 255
    }
  }
  return { width, height, data }
}

/** Which source cells each target cell covers, and with what share; shares of one target cell add up to 1. */
interface Coverage {
  start: Uint32Array
  index: Uint32Array
  weight: Float32Array
}

function coverage(from: number, to: number): Coverage {
  const step = from / to
  const start = new Uint32Array(to + 1)
  const index: number[] = []
  const weight: number[] = []
  for (let cell = 0; cell < to; cell++) {
    const [left, right] = [cell * step, (cell + 1) * step]
    for (let source = Math.floor(left); source < Math.min(from, Math.ceil(right - 1e-9)); source++) {
      index.push(source)
      weight.push((Math.min(right, source + 1) - Math.max(left, source)) / step)
    }
    start[cell + 1] = index.length
  }
  return { start, index: Uint32Array.from(index), weight: Float32Array.from(weight) }
}

function addRow(line: Float32Array, image: RgbaImage, row: number, share: number, columns: Coverage): void {
  const { data, width } = image
  const { start, index, weight } = columns
  const base = row * width * 4
  const cells = start.length - 1
  for (let x = 0; x < cells; x++) {
    let [r, g, b] = [0, 0, 0]
    for (let k = start[x]!; k < start[x + 1]!; k++) {
      const at = base + index[k]! * 4
      const w = weight[k]!
      r += data[at]! * w
      g += data[at + 1]! * w
      b += data[at + 2]! * w
    }
    line[x * 3] = line[x * 3]! + r * share
    line[x * 3 + 1] = line[x * 3 + 1]! + g * share
    line[x * 3 + 2] = line[x * 3 + 2]! + b * share
  }
}

export interface CutOptions {
  /** Side lengths of the piece in pixels. */
  width: number
  height: number
  /** Order of the three planes. */
  order: 'rgb' | 'bgr'
  /**
   * `averaged` samples a shrunk piece several times per pixel, so that detail between the samples does not turn into
   * noise; `plain` samples once, as the training pipelines of some networks did.
   */
  sampling: 'averaged' | 'plain'
  /** What lies outside the picture: the nearest border pixel, or black. */
  outside: 'border' | 'black'
}

const samplesMax = 6

/**
 * Cuts a piece out of a picture with bilinear sampling.
 * @param toSource where a point of the piece lies in the picture
 * @returns float32 planes `[3,height,width]`, values 0…255
 */
export function cutPlanes(image: RgbaImage, toSource: Affine, options: CutOptions): Float32Array {
  const { width, height, order, sampling } = options
  const { xx, xy, yx, yy, tx, ty } = toSource
  const scale = Math.max(Math.hypot(xx, yx), Math.hypot(xy, yy))
  const samples = sampling === 'plain' ? 1 : Math.min(samplesMax, Math.max(1, Math.round(scale)))
  const plane = width * height
  const out = new Float32Array(plane * 3)
  const [red, blue] = order === 'rgb' ? [0, plane * 2] : [plane * 2, 0]
  const share = 1 / (samples * samples)
  const pixel = new Float32Array(3)
  const read = options.outside === 'black' ? readOrBlack : readClamped
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let [r, g, b] = [0, 0, 0]
      for (let i = 0; i < samples; i++) {
        const v = y + (i + 0.5) / samples
        for (let j = 0; j < samples; j++) {
          const u = x + (j + 0.5) / samples
          read(image, xx * u + xy * v + tx - 0.5, yx * u + yy * v + ty - 0.5, pixel)
          r += pixel[0]!
          g += pixel[1]!
          b += pixel[2]!
        }
      }
      const at = y * width + x
      out[at + red] = r * share
      out[at + plane] = g * share
      out[at + blue] = b * share
    }
  }
  return out
}

/** Bilinear value at (x, y), counted in pixel centres, of the picture continued by its border pixels. */
function readClamped(image: RgbaImage, x: number, y: number, pixel: Float32Array): void {
  const { width, height, data } = image
  const cx = x < 0 ? 0 : Math.min(x, width - 1)
  const cy = y < 0 ? 0 : Math.min(y, height - 1)
  const x0 = Math.floor(cx)
  const y0 = Math.floor(cy)
  const fx = cx - x0
  const fy = cy - y0
  const right = x0 + 1 < width ? 4 : 0
  const below = y0 + 1 < height ? width * 4 : 0
  const at = (y0 * width + x0) * 4
  for (let c = 0; c < 3; c++) {
    const top = data[at + c]! * (1 - fx) + data[at + right + c]! * fx
    const bottom = data[at + below + c]! * (1 - fx) + data[at + below + right + c]! * fx
    pixel[c] = top * (1 - fy) + bottom * fy
  }
}

function readOrBlack(image: RgbaImage, x: number, y: number, pixel: Float32Array): void {
  const inside = x >= -0.5 && y >= -0.5 && x <= image.width - 0.5 && y <= image.height - 0.5
  if (inside) readClamped(image, x, y, pixel)
  else pixel.fill(0)
}
