/** Cuts a line of print out of a picture as a straight strip of fixed height, and prepares it for the line reader. */
import type { Pyramid, Window } from '../pyramid.ts'

/** Height of a strip in pixels; the reader takes no other. */
export const stripHeight = 32
/** Height of capital letters and distance of characters in a strip, in pixels: what the reader has been trained with. */
export const capHeight = 20
export const pitch = 14
/** Columns per frame of the reader. */
export const stride = 4

/** Where a line runs in a picture. The place at `t` pixels along it is `(x, y) + t · d + bend(t) · n`. */
export interface LinePath {
  /** Its middle, in pixels of the picture. */
  x: number
  y: number
  /** Direction of reading, a unit vector. */
  dx: number
  dy: number
  /** Offset across the line: `bend[0] + bend[1] · t + bend[2] · t²`, towards the next line. */
  bend: readonly [number, number, number]
  /** Whether the next line lies on the other side, as in a mirror. */
  isMirrored: boolean
}

/** How a strip lies along a path. */
export interface StripPlan {
  path: LinePath
  /** Place along the path of a column: `along[0] + along[1] · column + along[2] · column²`, columns with halves at the middles. */
  along: readonly [number, number, number]
  /** Pixels of the picture per row. */
  rowStep: number
  width: number
  /** Rows by which each column is moved towards the next line, where the print leaves the path; absent if nowhere. */
  shifts?: Float32Array
}

/** The side of the next line, as a unit vector. */
export const acrossOf = ({ dx, dy, isMirrored }: LinePath): readonly [number, number] =>
  isMirrored ? [dy, -dx] : [-dy, dx]

/** A place of the picture: `t` pixels along the path and `across` pixels towards the next line. */
export function placeOn(path: LinePath, t: number, across: number): { x: number; y: number } {
  const [nx, ny] = acrossOf(path)
  const offset = path.bend[0] + path.bend[1] * t + path.bend[2] * t * t + across
  return { x: path.x + t * path.dx + offset * nx, y: path.y + t * path.dy + offset * ny }
}

export const alongAt = ({ along }: StripPlan, column: number): number =>
  along[0] + along[1] * column + along[2] * column * column

/** Samples grey levels bilinearly; outside of the picture those of its border. */
function sampler({ image, step, left, top, level }: Window): (x: number, y: number) => number {
  const { width, height, data } = image
  const [right, bottom] = [Math.min(level.width - left, width) - 1, Math.min(level.height - top, height) - 1]
  const greyAt = (at: number) => 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!
  return (x, y) => {
    const column = Math.min(right, Math.max(0, x / step - 0.5 - left))
    const row = Math.min(bottom, Math.max(0, y / step - 0.5 - top))
    const [x0, y0] = [Math.floor(column), Math.floor(row)]
    const [across, down] = [column - x0, row - y0]
    const first = (y0 * width + x0) * 4
    const next = x0 < right ? 4 : 0
    const below = y0 < bottom ? width * 4 : 0
    const upper = greyAt(first) * (1 - across) + greyAt(first + next) * across
    const lower = greyAt(first + below) * (1 - across) + greyAt(first + below + next) * across
    return upper * (1 - down) + lower * down
  }
}

/**
 * Samples a strip from the level of the picture that is just fine enough.
 * @param height rows; the path runs through the middle
 * @returns grey levels 0…255, row by row
 */
export function sampleStrip(pyramid: Pyramid, plan: StripPlan, height = stripHeight): Float32Array {
  const { path, rowStep, width } = plan
  const columnStep = Math.abs(plan.along[1] + plan.along[2] * width)
  const ends = [0, width / 2, width].flatMap((column) =>
    [-height / 2, height / 2].map((row) => placeOn(path, alongAt(plan, column), row * rowStep)),
  )
  const [left, top] = [Math.min(...ends.map(({ x }) => x)), Math.min(...ends.map(({ y }) => y))]
  const [right, bottom] = [Math.max(...ends.map(({ x }) => x)), Math.max(...ends.map(({ y }) => y))]
  const scale = Math.max(1, Math.min(columnStep, rowStep))
  const window = pyramid.near(scale, { x: left, y: top, width: right - left, height: bottom - top })
  const sample = sampler(window)
  // Samples further apart than pixels of the level would skip some.
  const times = Math.max(1, Math.min(4, Math.round(Math.max(columnStep, rowStep) / window.step)))
  const shares = Array.from({ length: times }, (_, i) => (i + 0.5) / times)
  const out = new Float32Array(width * height)
  const [nx, ny] = acrossOf(path)
  for (let column = 0; column < width; column++) {
    const shift = plan.shifts?.[column] ?? 0
    for (const share of shares) {
      const t = alongAt(plan, column + share)
      const { x, y } = placeOn(path, t, 0)
      for (let row = 0; row < height; row++) {
        let sum = 0
        for (const part of shares) {
          const across = (row + part - height / 2 + shift) * rowStep
          sum += sample(x + across * nx, y + across * ny)
        }
        out[row * width + column] = out[row * width + column]! + sum / (times * times)
      }
    }
  }
  return out
}

/** Columns on each side whose mean and deviation a column is compared with. */
const normaliseRadius = 40
/** A column deviates at least by this share of the strip's deviation: noise beside the line is not enlarged to print. */
const deviationShare = 0.4
const deviationMin = 3

/**
 * Subtracts the mean around each column and divides by the deviation, so that shadows and weak print look alike. The reader has been
 * trained with the same function (`models/train/mrz/strips.py`).
 */
export function normaliseStrip(strip: Float32Array, width: number): Float32Array {
  const height = strip.length / width
  const first = new Float64Array(width + 1)
  const second = new Float64Array(width + 1)
  for (let column = 0; column < width; column++) {
    let [sum, squares] = [0, 0]
    for (let row = 0; row < height; row++) {
      const value = strip[row * width + column]!
      sum += value
      squares += value * value
    }
    first[column + 1] = first[column]! + sum / height
    second[column + 1] = second[column]! + squares / height
  }
  const means = new Float64Array(width)
  const spreads = new Float64Array(width)
  let whole = 0
  for (let column = 0; column < width; column++) {
    const [from, to] = [Math.max(0, column - normaliseRadius), Math.min(width, column + normaliseRadius + 1)]
    const mean = (first[to]! - first[from]!) / (to - from)
    const spread = Math.max(0, (second[to]! - second[from]!) / (to - from) - mean * mean)
    means[column] = mean
    spreads[column] = spread
    whole += spread / width
  }
  const floor = deviationShare * Math.sqrt(whole)
  const out = new Float32Array(strip.length)
  for (let column = 0; column < width; column++) {
    const scale = 1 / (Math.max(Math.sqrt(spreads[column]!), floor) + deviationMin)
    for (let row = 0, at = column; row < height; row++, at += width)
      out[at] = (strip[at]! - means[column]!) * scale
  }
  return out
}
