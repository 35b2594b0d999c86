/** Cuts a line of print out of a picture as a straight strip of fixed height, and prepares it for the line reader. */
import type { RgbaImage } from '../../media/rgba-image.ts'
import type { Pyramid } from '../pyramid.ts'

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

/** A unit vector across the line, to the side of the next one. */
export const turnAcross = ({ dx, dy, isMirrored }: LinePath): readonly [number, number] =>
  isMirrored ? [dy, -dx] : [-dy, dx]

/** A place of the picture: `t` pixels along the path and `across` pixels towards the next line. */
export function placeOn(path: LinePath, t: number, across: number): { x: number; y: number } {
  const [nx, ny] = turnAcross(path)
  const offset = path.bend[0] + path.bend[1] * t + path.bend[2] * t * t + across
  return { x: path.x + t * path.dx + offset * nx, y: path.y + t * path.dy + offset * ny }
}

export const alongAt = ({ along }: StripPlan, column: number): number =>
  along[0] + along[1] * column + along[2] * column * column

/**
 * The same line with characters of another size, at other places of the strip.
 * @param zoom how much wider and higher the characters become
 * @param moved columns and rows by which they are moved
 */
export function varyPlan(plan: StripPlan, zoom: number, moved: { columns: number; rows: number }): StripPlan {
  const { path, along, shifts, rowStep } = plan
  // A column c of the new strip is the column first + step · c of the old one.
  const [first, step] = [-moved.columns / zoom, 1 / zoom]
  const width = Math.ceil((plan.width * zoom) / 32) * 32
  const { bend } = path
  return {
    path: { ...path, bend: [bend[0] - moved.rows * rowStep, bend[1], bend[2]] },
    along: [alongAt(plan, first), step * (along[1] + 2 * along[2] * first), step * step * along[2]],
    rowStep: rowStep / zoom,
    width,
    ...(shifts && {
      shifts: Float32Array.from({ length: width }, (_, column) => {
        const known = Math.round(first + step * (column + 0.5) - 0.5)
        return shifts[Math.max(0, Math.min(shifts.length - 1, known))]! * zoom
      }),
    }),
  }
}

/** Grey levels of decoded parts of pictures: many strips are sampled from each. */
const greys = new WeakMap<RgbaImage, Uint8Array>()

/** Luma of ITU-R BT.601. */
function greyOf(image: RgbaImage): Uint8Array {
  const known = greys.get(image)
  if (known) return known
  const { width, height, data } = image
  const grey = new Uint8Array(width * height)
  for (let i = 0, at = 0; i < grey.length; i++, at += 4)
    grey[i] = (77 * data[at]! + 150 * data[at + 1]! + 29 * data[at + 2]! + 128) >> 8
  greys.set(image, grey)
  return grey
}

/** Samples further apart than pixels of the level would skip some. */
const samplesFor = (step: number): number => Math.max(1, Math.min(4, Math.round(step)))

/** Grey levels of a part of a picture. */
interface GreyWindow {
  grey: Uint8Array
  /** Pixels per row. */
  stride: number
  /** The last pixel that may be used of each row and column. */
  right: number
  bottom: number
}

/** Where samples of a strip lie, in pixels of the part of the picture. */
interface SamplePlaces {
  /** Samples per pixel of the strip. */
  across: number
  down: number
  /** Places of the path, `across` for each column. */
  middleX: Float64Array
  middleY: Float64Array
  /** Rows from the path to the strip's upper side, for each column. */
  first: Float64Array
  /** From a row to the next. */
  stepX: number
  stepY: number
}

/** Whether all samples have pixels on both sides. */
function areInside({ right, bottom }: GreyWindow, places: SamplePlaces, height: number): boolean {
  const { across, down, middleX, middleY, first, stepX, stepY } = places
  for (let at = 0; at < middleX.length; at++)
    for (const offset of [0.5 / down, height - 0.5 / down]) {
      const row = first[Math.floor(at / across)]! + offset
      const [x, y] = [middleX[at]! + row * stepX, middleY[at]! + row * stepY]
      if (!(x >= 0 && x < right && y >= 0 && y < bottom)) return false
    }
  return true
}

/**
 * Writes the mean of bilinear samples for each pixel of a strip. It is a function of its own, called with arguments of the same
 * kinds, since it takes most of the time.
 */
function writeSamples(
  { grey, stride, right, bottom }: GreyWindow,
  { across, down, middleX, middleY, first, stepX, stepY }: SamplePlaces,
  isInside: boolean,
  out: Float32Array,
): void {
  const width = first.length
  const height = out.length / width
  const share = 1 / (across * down)
  const offsets = Float64Array.from({ length: height * down }, (_, sample) => (sample + 0.5) / down)
  for (let line = 0, at = 0; line < height; line++)
    for (let column = 0; column < width; column++, at++) {
      let value = 0
      for (let place = column * across, end = place + across; place < end; place++)
        for (let sample = line * down, last = sample + down; sample < last; sample++) {
          const row = first[column]! + offsets[sample]!
          let x = middleX[place]! + row * stepX
          let y = middleY[place]! + row * stepY
          let next = 1
          let below = stride
          if (!isInside) {
            x = Math.min(right, Math.max(0, x))
            y = Math.min(bottom, Math.max(0, y))
            if (x >= right) next = 0
            if (y >= bottom) below = 0
          }
          const cornerX = x | 0
          const cornerY = y | 0
          const corner = cornerY * stride + cornerX
          const topLeft = grey[corner]!
          const bottomLeft = grey[corner + below]!
          const upper = topLeft + (grey[corner + next]! - topLeft) * (x - cornerX)
          const lower = bottomLeft + (grey[corner + below + next]! - bottomLeft) * (x - cornerX)
          value = Math.fround(value + (upper + (lower - upper) * (y - cornerY)) * share)
        }
      out[at] = value
    }
}

/**
 * Samples a strip bilinearly from the level of the picture that is just fine enough; outside of the picture are the levels of its border.
 * @param height rows; the path runs through the middle
 * @returns grey levels 0…255, row by row
 */
export function sampleStrip(pyramid: Pyramid, plan: StripPlan, height = stripHeight): Float32Array {
  const { path, rowStep, width } = plan
  const columnStep = Math.abs(plan.along[1] + plan.along[2] * width)
  const ends = [0, width / 2, width].flatMap((column) =>
    [-height / 2, height / 2].map((row) => placeOn(path, alongAt(plan, column), row * rowStep)),
  )
  const [x0, y0] = [Math.min(...ends.map(({ x }) => x)), Math.min(...ends.map(({ y }) => y))]
  const [x1, y1] = [Math.max(...ends.map(({ x }) => x)), Math.max(...ends.map(({ y }) => y))]
  const scale = Math.max(1, Math.min(columnStep, rowStep))
  const window = pyramid.near(scale, { x: x0, y: y0, width: x1 - x0, height: y1 - y0 })
  const { image, step, left, top, level } = window
  const source = {
    grey: greyOf(image),
    stride: image.width,
    right: Math.min(level.width - left, image.width) - 1,
    bottom: Math.min(level.height - top, image.height) - 1,
  }
  const [across, down] = [samplesFor(columnStep / step), samplesFor(rowStep / step)]
  const [nx, ny] = turnAcross(path)
  const places = {
    ...{ across, down, stepX: (nx * rowStep) / step, stepY: (ny * rowStep) / step },
    middleX: new Float64Array(width * across),
    middleY: new Float64Array(width * across),
    first: Float64Array.from({ length: width }, (_, column) => (plan.shifts?.[column] ?? 0) - height / 2),
  }
  for (let column = 0, at = 0; column < width; column++)
    for (let part = 0; part < across; part++, at++) {
      const middle = placeOn(path, alongAt(plan, column + (part + 0.5) / across), 0)
      places.middleX[at] = middle.x / step - 0.5 - left
      places.middleY[at] = middle.y / step - 0.5 - top
    }
  const out = new Float32Array(width * height)
  writeSamples(source, places, areInside(source, places, height), out)
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
