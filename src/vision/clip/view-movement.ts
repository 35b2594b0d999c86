/** How a face moves through the frame, read off the homographies that lay its frames on each other. */
import { applyHomography, type Homography } from './homography.ts'
import { quantile } from './quantile.ts'

export interface ViewMovement {
  /** Shift, growth and turn added up, in distances between the outer corners of the eyes. */
  view: number
  /** How far the corners of the chip move beyond that, as those of a picture that is tilted, in the same unit. */
  tilt: number
}

const corners = [
  { x: -1, y: -1 },
  { x: 1, y: -1 },
  { x: 1, y: 1 },
  { x: -1, y: 1 },
] as const

/** Half the chip's side, in distances between the outer corners of the eyes. */
const chipHalf = 0.775

interface View {
  x: number
  y: number
  /** Logarithm of the size. */
  growth: number
  /** Radians. */
  turn: number
  /** Where each corner lies beyond what a similarity explains, x and y in turn, the turn taken out. */
  tilt: readonly number[]
}

function decomposeView(toFrame: Homography, eyesApart: number): View {
  const places = corners.map((corner) => applyHomography(toFrame, corner))
  const x = places.reduce((sum, place) => sum + place.x, 0) / 4
  const y = places.reduce((sum, place) => sum + place.y, 0) / 4
  // The similarity nearest to the four corners, as a complex number.
  let [re, im] = [0, 0]
  places.forEach((place, i) => {
    const { x: u, y: v } = corners[i]!
    re += ((place.x - x) * u + (place.y - y) * v) / 8
    im += ((place.y - y) * u - (place.x - x) * v) / 8
  })
  const square = re * re + im * im
  const tilt = places.flatMap((place, i) => {
    const { x: u, y: v } = corners[i]!
    const [px, py] = [place.x - x, place.y - y]
    return [((px * re + py * im) / square - u) * chipHalf, ((py * re - px * im) / square - v) * chipHalf]
  })
  return { x: x / eyesApart, y: y / eyesApart, growth: Math.log(square) / 2, turn: Math.atan2(im, re), tilt }
}

const spread = (values: readonly number[]): number => quantile(values, 0.95) - quantile(values, 0.05)

/** Turns without jumps of a whole one. */
function unwrapAngles(turns: readonly number[]): number[] {
  let [before, offset] = [turns[0] ?? 0, 0]
  return turns.map((turn) => {
    if (turn - before > Math.PI) offset -= 2 * Math.PI
    if (turn - before < -Math.PI) offset += 2 * Math.PI
    before = turn
    return turn + offset
  })
}

/** Each number as the median of five frames, so that one frame laid on badly is no tilt. */
const smoothRows = (rows: readonly (readonly number[])[]): number[][] =>
  rows.map((row, at) => {
    const near = rows.slice(Math.max(0, at - 2), at + 3)
    return row.map((_, i) =>
      quantile(
        near.map((other) => other[i]!),
        0.5,
      ),
    )
  })

/** How far frames differ in their tilt. */
function measureTiltRange(tilts: readonly (readonly number[])[]): number {
  const rows = smoothRows(tilts)
  const distances = rows.flatMap((a, at) =>
    rows.slice(at + 1).map((b) => Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0) / 4)),
  )
  return distances.length === 0 ? 0 : quantile(distances, 0.95)
}

/**
 * @param toFrame from the chip to each frame, in their order; one at least
 * @param eyesApart pixels between the outer corners of the eyes, in the reference
 */
export function measureViewMovement(toFrame: readonly Homography[], eyesApart: number): ViewMovement {
  const views = toFrame.map((one) => decomposeView(one, eyesApart))
  const shift = Math.hypot(spread(views.map(({ x }) => x)), spread(views.map(({ y }) => y)))
  const growth = spread(views.map((view) => view.growth))
  const turn = spread(unwrapAngles(views.map((view) => view.turn)))
  return { view: shift + growth + turn, tilt: measureTiltRange(views.map(({ tilt }) => tilt)) }
}
