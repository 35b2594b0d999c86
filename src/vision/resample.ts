/** Resampling: shrinks pictures, and warps rotated and scaled crops into the planes that networks take. */
import type { RgbaImage, Size } from '../media/rgba-image.ts'
import type { Affine, Box } from './geometry.ts'
import type { Pyramid } from './pyramid.ts'

/**
 * Shrinks a picture by area averaging.
 * @returns the picture itself if the target size is not smaller
 */
export function shrinkImage(image: RgbaImage, width: number, height: number): RgbaImage {
  if (width >= image.width && height >= image.height) return image
  const columns = computeCoverage(image.width, width)
  const rows = computeCoverage(image.height, height)
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

/** The source cells that each target cell covers, and their weights; the weights of one target cell add up to 1. */
interface Coverage {
  start: Uint32Array
  index: Uint32Array
  weight: Float32Array
}

function computeCoverage(from: number, to: number): Coverage {
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

/** Shrinks the whole picture to a size by area averaging. */
export function shrinkTo(pyramid: Pyramid, width: number, height: number): RgbaImage {
  const scale = Math.min(pyramid.width / Math.max(1, width), pyramid.height / Math.max(1, height))
  return shrinkImage(pyramid.nearest(scale).image, width, height)
}

/** The size of a picture that is shrunk, if necessary, to a longer side of at most `side` pixels. */
export function sizeWithin({ width, height }: Size, side: number): Size {
  const scale = Math.min(1, side / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Shrinks the whole picture so that its longer side is at most `side` pixels. */
export function shrinkToSide(pyramid: Pyramid, side: number): RgbaImage {
  const { width, height } = sizeWithin(pyramid, side)
  return shrinkTo(pyramid, width, height)
}

export interface WarpOptions {
  /** Size of the crop in pixels. */
  width: number
  height: number
  /** Order of the three planes. */
  order: 'rgb' | 'bgr'
  /**
   * `averaged` samples a smaller level of the pyramid if the crop is shrunk, which avoids aliasing; `plain` samples the
   * picture itself, as in the training of some networks.
   */
  sampling: 'averaged' | 'plain'
  /** Value outside the picture: the nearest border pixel, or black. */
  outside: 'border' | 'black'
}

/** The smallest box that contains a crop, in pixels of the picture. */
function boundCrop({ xx, xy, yx, yy, tx, ty }: Affine, { width, height }: Size): Box {
  const right = [0, xx * width, xy * height, xx * width + xy * height]
  const down = [0, yx * width, yy * height, yx * width + yy * height]
  const [left, top] = [Math.min(...right), Math.min(...down)]
  return { x: left + tx, y: top + ty, width: Math.max(...right) - left, height: Math.max(...down) - top }
}

/** Pixels of a large picture per sample that a plain crop leaves out, at least: as many as in pictures of usual size. */
const plainStep = 4

/** The scale of the level that a crop samples. */
function sampledScale(pyramid: Pyramid, scale: number, { sampling }: WarpOptions): number {
  if (sampling === 'averaged') return scale
  return pyramid.isWhole ? 1 : Math.min(2 ** pyramid.firstLevel, Math.max(1, scale / plainStep))
}

/**
 * Warps a part of a picture to a tensor with bilinear sampling.
 * @param toSource maps crop coordinates to picture coordinates
 * @returns float32 planes `[3,height,width]`, values 0…255
 */
export function warpToTensor(pyramid: Pyramid, toSource: Affine, options: WarpOptions): Float32Array {
  const { width, height, order } = options
  const scale = Math.max(Math.hypot(toSource.xx, toSource.yx), Math.hypot(toSource.xy, toSource.yy))
  const { image, step, level, left, top } = pyramid.near(
    sampledScale(pyramid, scale, options),
    boundCrop(toSource, options),
  )
  const [xx, xy, yx, yy] = [toSource.xx / step, toSource.xy / step, toSource.yx / step, toSource.yy / step]
  // Pixel centres lie at half-integer coordinates, in crop and picture.
  const tx = toSource.tx / step + (xx + xy) / 2 - 0.5
  const ty = toSource.ty / step + (yx + yy) / 2 - 0.5
  const { data } = image
  const [right, bottom, stride] = [level.width - 1, level.height - 1, image.width * 4]
  const isBlackOutside = options.outside === 'black'
  const plane = width * height
  const out = new Float32Array(plane * 3)
  const [red, blue] = order === 'rgb' ? [0, plane * 2] : [plane * 2, 0]
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to++) {
      const sx = xx * x + xy * y + tx
      const sy = yx * x + yy * y + ty
      if (isBlackOutside && (sx < -0.5 || sy < -0.5 || sx > right + 0.5 || sy > bottom + 0.5)) continue
      const cx = sx < 0 ? 0 : Math.min(sx, right)
      const cy = sy < 0 ? 0 : Math.min(sy, bottom)
      const x0 = Math.floor(cx)
      const y0 = Math.floor(cy)
      const fx = cx - x0
      const fy = cy - y0
      const a = (y0 - top) * stride + (x0 - left) * 4
      const b = x0 < right ? a + 4 : a
      const c = y0 < bottom ? a + stride : a
      const d = c + b - a
      const wa = (1 - fx) * (1 - fy)
      const wb = fx * (1 - fy)
      const wc = (1 - fx) * fy
      const wd = fx * fy
      out[to + red] = data[a]! * wa + data[b]! * wb + data[c]! * wc + data[d]! * wd
      out[to + plane] = data[a + 1]! * wa + data[b + 1]! * wb + data[c + 1]! * wc + data[d + 1]! * wd
      out[to + blue] = data[a + 2]! * wa + data[b + 2]! * wb + data[c + 2]! * wc + data[d + 2]! * wd
    }
  }
  return out
}

/** Enlarges square planes `[3,from,from]` to `[3,to,to]` by bilinear interpolation. */
export function enlargePlanes(planes: Float32Array, from: number, to: number): Float32Array {
  const out = new Float32Array(3 * to * to)
  const places = Array.from({ length: to }, (_, i) => {
    const place = Math.min(from - 1, Math.max(0, ((i + 0.5) * from) / to - 0.5))
    const first = Math.min(from - 1, Math.floor(place))
    return { first, second: Math.min(from - 1, first + 1), share: place - first }
  })
  let at = 0
  for (let plane = 0; plane < 3; plane++) {
    for (const row of places) {
      const upper = (plane * from + row.first) * from
      const lower = (plane * from + row.second) * from
      for (const { first, second, share } of places) {
        const top = planes[upper + first]! * (1 - share) + planes[upper + second]! * share
        const bottom = planes[lower + first]! * (1 - share) + planes[lower + second]! * share
        out[at++] = top * (1 - row.share) + bottom * row.share
      }
    }
  }
  return out
}
