/**
 * Resampling of pictures, in AssemblyScript with SIMD. README.md describes the build. The only caller is
 * `src/media/picture-kernel.ts`. No state, no allocation: all addresses are parameters, in bytes. Pixels are RGBA, 8 bits each.
 */

/** Sum of the even and the odd pixels of eight, uint16: the lower two pairs. */
@inline
function addLow(even: v128, odd: v128): v128 {
  return i16x8.add(i16x8.extend_low_i8x16_u(even), i16x8.extend_low_i8x16_u(odd))
}

@inline
function addHigh(even: v128, odd: v128): v128 {
  return i16x8.add(i16x8.extend_high_i8x16_u(even), i16x8.extend_high_i8x16_u(odd))
}

/** Averages of 2 × 2 pixels, four of them: `a` and `b` are eight pixels of the upper row, `c` and `d` those below. */
@inline
function averageFour(a: v128, b: v128, c: v128, d: v128): v128 {
  const evenUp = v128.shuffle<i32>(a, b, 0, 2, 4, 6)
  const oddUp = v128.shuffle<i32>(a, b, 1, 3, 5, 7)
  const evenDown = v128.shuffle<i32>(c, d, 0, 2, 4, 6)
  const oddDown = v128.shuffle<i32>(c, d, 1, 3, 5, 7)
  const two = i16x8.splat(2)
  const low = i16x8.add(i16x8.add(addLow(evenUp, oddUp), addLow(evenDown, oddDown)), two)
  const high = i16x8.add(i16x8.add(addHigh(evenUp, oddUp), addHigh(evenDown, oddDown)), two)
  return v128.or(i8x16.narrow_i16x8_u(i16x8.shr_u(low, 2), i16x8.shr_u(high, 2)), i32x4.splat(0xff000000))
}

/**
 * Averages 2 × 2 pixels, rounded half up.
 * @param rowBytes bytes from one row to the next
 * @param width pixels of a row of the result
 */
export function halve(from: usize, rowBytes: usize, width: i32, rows: i32, to: usize): void {
  for (let y = 0; y < rows; y++, from += 2 * rowBytes) {
    let upper = from
    let lower = from + rowBytes
    const end = to + (<usize>width << 2)
    for (; to + 16 <= end; to += 16, upper += 32, lower += 32) {
      v128.store(
        to,
        averageFour(v128.load(upper), v128.load(upper, 16), v128.load(lower), v128.load(lower, 16)),
      )
    }
    const zero = i32x4.splat(0)
    for (; to < end; to += 4, upper += 8, lower += 8) {
      const one = averageFour(v128.load64_zero(upper), zero, v128.load64_zero(lower), zero)
      v128.store32_lane(to, one, 0)
    }
  }
}

/** A pixel as four int32. */
@inline
function channels(address: usize): v128 {
  return i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(address)))
}

/** The lower or upper two channels of a pixel as float64. */
@inline
function lowChannels(pixel: v128): v128 {
  return f64x2.convert_low_i32x4_u(pixel)
}

@inline
function highChannels(pixel: v128): v128 {
  return f64x2.convert_low_i32x4_u(v128.shuffle<i32>(pixel, pixel, 2, 3, 2, 3))
}

/**
 * Adds a row of pixels to a line of cells, float32 `[cells,4]`. Sums are made in float64.
 * @param spans for each cell its first pixel and the number of pixels, uint32 `[cells,2]`
 * @param weights of these pixels, one after the other, float32
 * @param share weight of the row
 */
export function addRow(
  line: usize,
  pixels: usize,
  spans: usize,
  weights: usize,
  cells: i32,
  share: f64,
): void {
  const shares = f64x2.splat(share)
  for (; cells > 0; cells--, spans += 8, line += 16) {
    let from = pixels + (<usize>load<u32>(spans) << 2)
    let low = f64x2.splat(0)
    let high = f64x2.splat(0)
    for (let count = load<u32>(spans, 4); count > 0; count--, from += 4, weights += 4) {
      const pixel = channels(from)
      const weight = f64x2.splat(<f64>load<f32>(weights))
      low = f64x2.add(low, f64x2.mul(lowChannels(pixel), weight))
      high = f64x2.add(high, f64x2.mul(highChannels(pixel), weight))
    }
    const sum = v128.load(line)
    low = f64x2.add(f64x2.promote_low_f32x4(sum), f64x2.mul(low, shares))
    high = f64x2.add(
      f64x2.promote_low_f32x4(v128.shuffle<i32>(sum, sum, 2, 3, 2, 3)),
      f64x2.mul(high, shares),
    )
    v128.store(
      line,
      v128.shuffle<i32>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 1, 4, 5),
    )
  }
}

/** Writes a line of cells as pixels, rounded half to even, and sets the line to zero. */
export function writeLine(line: usize, cells: i32, to: usize): void {
  for (; cells > 0; cells--, line += 16, to += 4) {
    const pixel = i32x4.trunc_sat_f32x4_u(f32x4.nearest(v128.load(line)))
    const words = i16x8.narrow_i32x4_u(pixel, pixel)
    store<u32>(to, i32x4.extract_lane(i8x16.narrow_i16x8_u(words, words), 0) | 0xff000000)
    v128.store(line, i32x4.splat(0))
  }
}

/** The channels of the first of two pixels, uint16 each, as float32. */
@inline
function firstPixel(pair: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(pair))
}

@inline
function secondPixel(pair: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_u(pair))
}

@inline
function between(a: v128, b: v128, share: v128): v128 {
  return f32x4.add(a, f32x4.mul(f32x4.sub(b, a), share))
}

/**
 * Warps rows of a crop to planes with bilinear sampling: places in float64, pixels in float32.
 * @param from the part of the picture that the rows touch: its pixel at `left`, `top`; a row and two pixels behind it are read
 * @param right last column of the picture, and last row; places beyond are clamped, or left as they are if they are black
 * @param xx with `xy`, `yx`, `yy`, `tx`, `ty`: maps a pixel of the crop to the picture, in pixel centres
 * @param out three planes float32, `plane` bytes each
 * @param red offset of the plane of the first channel; `blue` of the third
 */
export function warp(
  from: usize,
  rowBytes: i32,
  left: i32,
  top: i32,
  right: f64,
  bottom: f64,
  xx: f64,
  xy: f64,
  yx: f64,
  yy: f64,
  tx: f64,
  ty: f64,
  isBlackOutside: bool,
  width: i32,
  firstRow: i32,
  endRow: i32,
  out: usize,
  plane: usize,
  red: usize,
  blue: usize,
): void {
  let to = out + (<usize>(firstRow * width) << 2)
  for (let y = firstRow; y < endRow; y++) {
    for (let x = 0; x < width; x++, to += 4) {
      const sx = xx * <f64>x + xy * <f64>y + tx
      const sy = yx * <f64>x + yy * <f64>y + ty
      if (isBlackOutside && (sx < -0.5 || sy < -0.5 || sx > right + 0.5 || sy > bottom + 0.5)) continue
      const cx = sx < 0 ? 0 : min(sx, right)
      const cy = sy < 0 ? 0 : min(sy, bottom)
      const x0 = <i32>cx
      const y0 = <i32>cy
      const fx = f32x4.splat(<f32>(cx - <f64>x0))
      const fy = f32x4.splat(<f32>(cy - <f64>y0))
      // Two pixels of a row each. The right one behind the last column counts nothing, nor does a row below the last.
      const at = from + <usize>((y0 - top) * rowBytes + ((x0 - left) << 2))
      const upper = i16x8.extend_low_i8x16_u(v128.load64_zero(at))
      const lower = i16x8.extend_low_i8x16_u(v128.load64_zero(at + <usize>rowBytes))
      const above = between(firstPixel(upper), secondPixel(upper), fx)
      const pixel = between(above, between(firstPixel(lower), secondPixel(lower), fx), fy)
      store<f32>(to + red, f32x4.extract_lane(pixel, 0))
      store<f32>(to + plane, f32x4.extract_lane(pixel, 1))
      store<f32>(to + blue, f32x4.extract_lane(pixel, 2))
    }
  }
}
