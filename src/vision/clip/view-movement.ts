/** Measures how a face moves through the frame, from the homographies that align its frames. */
import { applyHomography, type Homography } from './homography.ts'
import { quantile } from './quantile.ts'

export interface ViewMovement {
  /** Sum of translation, scaling and rotation, in eye distances (outer corners). */
  view: number
  /** How far the corners of the chip move beyond that, as in a tilted picture, in the same unit. */
  tilt: number
}

const corners = [
  { x: -1, y: -1 },
  { x: 1, y: -1 },
  { x: 1, y: 1 },
  { x: -1, y: 1 },
] as const

/** Half the chip's side in eye distances. */
const chipHalf = 0.775

interface View {
  x: number
  y: number
  /** Logarithm of the scale. */
  growth: number
  /** Radians. */
  turn: number
  /** Residual of each corner (x, y) after removing the fitted similarity. */
  tilt: readonly number[]
}

function decomposeView(toFrame: Homography, eyesApart: number): View {
  const places = corners.map((corner) => applyHomography(toFrame, corner))
  const x = places.reduce((sum, place) => sum + place.x, 0) / 4
  const y = places.reduce((sum, place) => sum + place.y, 0) / 4
  // Least-squares similarity of the four corners, as a complex number.
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

/** Removes jumps of 2π from a sequence of angles. */
function unwrapAngles(turns: readonly number[]): number[] {
  let [before, offset] = [turns[0] ?? 0, 0]
  return turns.map((turn) => {
    if (turn - before > Math.PI) offset -= 2 * Math.PI
    if (turn - before < -Math.PI) offset += 2 * Math.PI
    before = turn
    return turn + offset
  })
}

/** Median of five frames for each value, so that one badly aligned frame is no tilt. */
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

/** 95 % quantile of the pairwise differences in tilt. */
function measureTiltRange(tilts: readonly (readonly number[])[]): number {
  const rows = smoothRows(tilts)
  const distances = rows.flatMap((a, at) =>
    rows.slice(at + 1).map((b) => Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0) / 4)),
  )
  return distances.length === 0 ? 0 : quantile(distances, 0.95)
}

/**
 * Measures the movement through the frame.
 * @param toFrame mapping from the chip to each frame, in order of time; at least one
 * @param eyesApart eye distance (outer corners) in the reference, in pixels of the frame
 */
export function measureViewMovement(toFrame: readonly Homography[], eyesApart: number): ViewMovement {
  const views = toFrame.map((one) => decomposeView(one, eyesApart))
  const shift = Math.hypot(spread(views.map(({ x }) => x)), spread(views.map(({ y }) => y)))
  const growth = spread(views.map((view) => view.growth))
  const turn = spread(unwrapAngles(views.map((view) => view.turn)))
  return { view: shift + growth + turn, tilt: measureTiltRange(views.map(({ tilt }) => tilt)) }
}
