/** Turns decoded samples into rows of RGBA pixels: enlarges the components to the size of the picture and converts colours. */
import { reserve } from './arena'
import { isRgb, isYcck } from './markers'
import { Component, componentAt, componentsMax, picture } from './picture'

/** Free bytes at both ends of a line: eight pixels are written at a time. */
const margin: usize = 32

/** uint16: sums of two rows of samples. */
let sums: usize = 0
/** uint8: enlarged rows of the components. */
let lines: usize = 0
let lineBytes: usize = 0

/** Reserves the lines of a picture of a width. Returns whether there is memory. */
export function reserveLines(width: i32): bool {
  lineBytes = (<usize>width + 2 * margin + 64 + 15) & ~(<usize>15)
  sums = reserve(<u64>lineBytes * 2)
  lines = reserve(<u64>lineBytes * componentsMax)
  return sums != 0 && lines != 0
}

/** Address of a row of samples, by its number in the component. */
@inline
function sampleRow(component: Component, row: i32): usize {
  const slot = (row / component.slotRows) % 3
  return component.plane + <usize>(slot * component.slotRows + (row % component.slotRows)) * component.stride
}

/** Whether an enlargement by two interpolates; very narrow components are only repeated. */
@inline
export function isSmoothAcross(component: Component): bool {
  return picture.scale == 0 && component.fx == 2 && component.fy <= 2 && component.width > 2
}

@inline
export function isSmoothDown(component: Component): bool {
  return picture.scale == 0 && component.fy == 2 && (component.fx == 1 || isSmoothAcross(component))
}

/** The row of samples whose share in a row of pixels is a quarter: the nearer one of the neighbours of its own. */
@inline
export function neighbourRow(component: Component, y: i32): i32 {
  const row = (y >> 1) + (y & 1 ? 1 : -1)
  return min(component.height - 1, max(0, row))
}

/**
 * Doubles a line: a pixel is three quarters of the nearest value and a quarter of the next one.
 * @param from first column, a multiple of 8; the sums are valid from the column before it
 */
@inline
function interpolate(from: i32, to: i32, line: usize, isBoth: bool): void {
  const base = sums + margin
  const shift = isBoth ? 4 : 2
  const evenBias = i16x8.splat(isBoth ? 8 : 1)
  const oddBias = i16x8.splat(isBoth ? 7 : 2)
  for (let x = from; x < to; x += 8) {
    const at = base + (<usize>x << 1)
    const own = v128.load(at)
    const three = i16x8.add(i16x8.add(own, own), own)
    const even = i16x8.shr_u(i16x8.add(i16x8.add(three, v128.load(at - 2)), evenBias), shift)
    const odd = i16x8.shr_u(i16x8.add(i16x8.add(three, v128.load(at + 2)), oddBias), shift)
    v128.store(line + (<usize>x << 1), v128.or(even, i16x8.shl(odd, 8)))
  }
}

/** Sums of the rows around a row of pixels, three of the nearer and one of the other; or the row itself. */
function addRows(near: usize, far: usize, from: i32, to: i32): void {
  for (let x = from; x < to; x += 8) {
    const a = v128.load_ext<u8>(near + <usize>x)
    const sum = far == 0 ? a : i16x8.add(i16x8.add(i16x8.add(a, a), a), v128.load_ext<u8>(far + <usize>x))
    v128.store(sums + margin + (<usize>x << 1), sum)
  }
}

/** Doubles across, and down if there is another row. */
function enlargeAcross(component: Component, near: usize, far: usize, from: i32, to: i32, line: usize): void {
  const first = (from >> 1) & ~7
  const end = min(component.width, ((to + 1) >> 1) + 1)
  addRows(near, far, max(0, first - 8), end)
  const base = sums + margin
  if (first == 0) store<u16>(base - 2, load<u16>(base))
  if (end == component.width) store<u16>(base + (<usize>end << 1), load<u16>(base + (<usize>(end - 1) << 1)))
  if (far == 0) interpolate(first, end, line, false)
  else interpolate(first, end, line, true)
}

/** Doubles down alone. */
function enlargeDown(near: usize, far: usize, from: i32, to: i32, line: usize): void {
  addRows(near, far, from & ~7, to)
  const bias = i16x8.splat(1)
  for (let x = from & ~7; x < to; x += 8) {
    const value = i16x8.shr_u(i16x8.add(v128.load(sums + margin + (<usize>x << 1)), bias), 2)
    const bytes = i8x16.narrow_i16x8_u(value, value)
    store<u64>(line + <usize>x, i64x2.extract_lane(bytes, 0))
  }
}

/** Address of the samples of a component for a row of pixels, valid in the columns from `from` to `to`. */
function lineOf(index: i32, y: i32, from: i32, to: i32): usize {
  const component = componentAt(index)
  if (component.fx == 1 && component.fy == 1) return sampleRow(component, y)
  const line = lines + <usize>index * lineBytes + margin
  const near = sampleRow(component, y / component.fy)
  const isDown = isSmoothDown(component)
  const far = isDown ? sampleRow(component, neighbourRow(component, y)) : 0
  if (isSmoothAcross(component)) enlargeAcross(component, near, far, from, to, line)
  else if (isDown) enlargeDown(near, far, from, to, line)
  else for (let x = from; x < to; x++) store<u8>(line + <usize>x, load<u8>(near + <usize>(x / component.fx)))
  return line
}

/** (products + 0.5) of 16.16 fixed-point factors, of eight lanes. */
@inline
function scaled(lowSums: v128, highSums: v128): v128 {
  const half = i32x4.splat(32768)
  return i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.add(lowSums, half), 16),
    i32x4.shr_s(i32x4.add(highSums, half), 16),
  )
}

/** Stores eight pixels. */
@inline
function storePixels(to: usize, red: v128, green: v128, blue: v128): void {
  const rb = i8x16.narrow_i16x8_u(red, blue)
  const ga = i8x16.narrow_i16x8_u(green, i16x8.splat(255))
  const rg = v128.shuffle<i8>(rb, ga, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
  const ba = v128.shuffle<i8>(rb, ga, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
  v128.store(to, v128.shuffle<i16>(rg, ba, 0, 8, 1, 9, 2, 10, 3, 11))
  v128.store(to, v128.shuffle<i16>(rg, ba, 4, 12, 5, 13, 6, 14, 7, 15), 16)
}

/** Converts eight pixels from YCbCr (T.871, section 7), with factors of 16 bits after the point. */
@inline
function convertPixels(to: usize, luma: v128, blueChroma: v128, redChroma: v128): void {
  const middle = i16x8.splat(128)
  const cb = i16x8.sub(blueChroma, middle)
  const cr = i16x8.sub(redChroma, middle)
  // 1.402 and 1.772 are above 1: their integers are added, the rest is multiplied.
  const redFactor = i16x8.splat(26345)
  const blueFactor = i16x8.splat(-14942)
  const red = scaled(i32x4.extmul_low_i16x8_s(cr, redFactor), i32x4.extmul_high_i16x8_s(cr, redFactor))
  const blue = scaled(i32x4.extmul_low_i16x8_s(cb, blueFactor), i32x4.extmul_high_i16x8_s(cb, blueFactor))
  const greenFactors = i32x4.splat((18734 << 16) | (-22554 & 0xffff))
  const green = scaled(
    i32x4.dot_i16x8_s(v128.shuffle<i16>(cb, cr, 0, 8, 1, 9, 2, 10, 3, 11), greenFactors),
    i32x4.dot_i16x8_s(v128.shuffle<i16>(cb, cr, 4, 12, 5, 13, 6, 14, 7, 15), greenFactors),
  )
  storePixels(
    to,
    i16x8.add(i16x8.add(luma, cr), red),
    i16x8.add(i16x8.sub(luma, cr), green),
    i16x8.add(i16x8.add(luma, i16x8.add(cb, cb)), blue),
  )
}

/**
 * Prints the inks of a row of pixels on white. Files with an Adobe marker have them inverted: 255 for none.
 * @param target cyan, magenta and yellow instead of red, green and blue; or what YCbCr gave, which is their inverse
 */
function printInks(blacks: usize, from: i32, to: i32, target: usize): void {
  const inkFlip: u32 = isYcck() || !picture.hasAdobe ? 255 : 0
  const blackFlip: u32 = picture.hasAdobe ? 0 : 255
  for (let x = from; x < to; x++) {
    const black = load<u8>(blacks + <usize>x) ^ blackFlip
    const pixel = target + (<usize>x << 2)
    for (let at = pixel; at < pixel + 3; at++) store<u8>(at, ((load<u8>(at) ^ inkFlip) * black + 127) / 255)
  }
}

/**
 * Writes the columns `from` (a multiple of 8) to `to` of a row of pixels, eight at a time.
 * @param target RGBA of column 0; up to seven pixels behind `to` are overwritten
 */
export function writeRow(y: i32, from: i32, to: i32, target: usize): void {
  const first = lineOf(0, y, from, to)
  if (picture.components == 1) {
    for (let x = from; x < to; x += 8) {
      const grey = v128.load_ext<u8>(first + <usize>x)
      storePixels(target + (<usize>x << 2), grey, grey, grey)
    }
    return
  }
  const second = lineOf(1, y, from, to)
  const third = lineOf(2, y, from, to)
  const isConverted = picture.components == 4 ? isYcck() : !isRgb()
  for (let x = from; x < to; x += 8) {
    const at = target + (<usize>x << 2)
    const a = v128.load_ext<u8>(first + <usize>x)
    const b = v128.load_ext<u8>(second + <usize>x)
    const c = v128.load_ext<u8>(third + <usize>x)
    if (isConverted) convertPixels(at, a, b, c)
    else storePixels(at, a, b, c)
  }
  if (picture.components == 4) printInks(lineOf(3, y, from, to), from, to, target)
}
