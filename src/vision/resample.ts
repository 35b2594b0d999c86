/** Resampling: shrinks pictures to a size, and warps rotated and scaled crops into the planes that networks take. */
import type { Crop, PictureKernel } from '../media/picture-kernel.ts'
import type { RgbaImage, Size } from '../media/rgba-image.ts'
import type { Affine, Box } from './geometry.ts'
import type { Pyramid, Window } from './pyramid.ts'

/** Shrinks the whole picture to a size by area averaging. */
export function shrinkTo(pyramid: Pyramid, width: number, height: number): RgbaImage {
  const scale = Math.min(pyramid.width / Math.max(1, width), pyramid.height / Math.max(1, height))
  return pyramid.kernel.shrink(pyramid.nearest(scale).image, width, height)
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

interface WarpOptions extends Omit<Crop, 'map'> {
  /**
   * `averaged` samples a smaller level of the pyramid if the crop is shrunk, which avoids aliasing; `plain` samples the
   * picture itself, as in the training of some networks.
   */
  sampling: 'averaged' | 'plain'
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
  const scale = Math.max(Math.hypot(toSource.xx, toSource.yx), Math.hypot(toSource.xy, toSource.yy))
  const window = pyramid.near(sampledScale(pyramid, scale, options), boundCrop(toSource, options))
  return warpWindow(pyramid.kernel, window, toSource, options)
}

/** Warps a part of a level as `warpToTensor` does. */
export function warpWindow(
  kernel: PictureKernel,
  { image, step, level, left, top }: Window,
  toSource: Affine,
  options: Omit<WarpOptions, 'sampling'>,
): Float32Array {
  const [xx, xy, yx, yy] = [toSource.xx / step, toSource.xy / step, toSource.yx / step, toSource.yy / step]
  // Pixel centres lie at half-integer coordinates, in crop and picture.
  const tx = toSource.tx / step + (xx + xy) / 2 - 0.5
  const ty = toSource.ty / step + (yx + yy) / 2 - 0.5
  return kernel.warp({ image, left, top, whole: level }, { ...options, map: { xx, xy, yx, yy, tx, ty } })
}

/** Enlarges square planes `[3,from,from]` to `[3,to,to]` by bilinear interpolation. */
export function enlargePlanes(planes: Float32Array, from: number, to: number): Float32Array {
  const out = new Float32Array(3 * to * to)
  const first = new Int32Array(to)
  const share = new Float64Array(to)
  for (let i = 0; i < to; i++) {
    const place = Math.min(from - 1, Math.max(0, ((i + 0.5) * from) / to - 0.5))
    first[i] = Math.min(from - 1, Math.floor(place))
    share[i] = place - first[i]!
  }
  // Rows of all planes, enlarged across.
  const wide = new Float64Array(3 * from * to)
  for (let row = 0, at = 0; row < 3 * from; row++)
    for (let x = 0; x < to; x++, at++) {
      const left = row * from + first[x]!
      const right = row * from + Math.min(from - 1, first[x]! + 1)
      wide[at] = planes[left]! * (1 - share[x]!) + planes[right]! * share[x]!
    }
  for (let plane = 0, at = 0; plane < 3; plane++)
    for (let y = 0; y < to; y++) {
      const upper = (plane * from + first[y]!) * to
      const lower = (plane * from + Math.min(from - 1, first[y]! + 1)) * to
      for (let x = 0; x < to; x++, at++)
        out[at] = wide[upper + x]! * (1 - share[y]!) + wide[lower + x]! * share[y]!
    }
  return out
}
