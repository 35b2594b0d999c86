/** Rectangles at any angle, around points. */
import type { Quad } from '../../../documents/reading.ts'
import type { Affine, Point, Similarity } from '../../geometry.ts'

/** A rectangle at any angle. `axis` is the unit vector along its width; its height runs clockwise from there (downwards for upright text). */
export interface RotatedBox {
  readonly centre: Point
  readonly axis: Point
  readonly width: number
  readonly height: number
}

const cross = (o: Point, a: Point, b: Point) => (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x)

function halfHull(points: readonly Point[]): Point[] {
  const hull: Point[] = []
  for (const point of points) {
    while (hull.length >= 2 && cross(hull.at(-2)!, hull.at(-1)!, point) <= 0) hull.pop()
    hull.push(point)
  }
  hull.pop()
  return hull
}

/** The convex hull, by Andrew's monotone chain. */
function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y)
  return sorted.length < 3 ? sorted : [...halfHull(sorted), ...halfHull(sorted.reverse())]
}

/** The rectangle of a direction around points. */
function boxAlong(points: readonly Point[], axis: Point): RotatedBox {
  let [left, right, top, bottom] = [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ]
  for (const { x, y } of points) {
    const along = x * axis.x + y * axis.y
    const down = y * axis.x - x * axis.y
    left = Math.min(left, along)
    right = Math.max(right, along)
    top = Math.min(top, down)
    bottom = Math.max(bottom, down)
  }
  const [along, down] = [(left + right) / 2, (top + bottom) / 2]
  return {
    centre: { x: along * axis.x - down * axis.y, y: along * axis.y + down * axis.x },
    axis,
    width: right - left,
    height: bottom - top,
  }
}

/**
 * The rectangle of least area around points: one of its sides lies on a side of their hull.
 * @returns its axis points to the right, or down; `null` for no points
 */
export function minimalBox(points: readonly Point[]): RotatedBox | null {
  const hull = convexHull(points)
  let best: RotatedBox | null = null
  for (const [i, from] of hull.entries()) {
    const to = hull[(i + 1) % hull.length]!
    const length = Math.hypot(to.x - from.x, to.y - from.y)
    const axis = length > 0 ? { x: (to.x - from.x) / length, y: (to.y - from.y) / length } : { x: 1, y: 0 }
    const box = boxAlong(hull, axis)
    if (!best || box.width * box.height < best.width * best.height) best = box
  }
  return best && lyingDown(best)
}

/** Turns the axis of a box by quarter turns clockwise; the box stays. */
export function turnAxis(box: RotatedBox, quarterTurns: number): RotatedBox {
  const { axis, width, height } = box
  const turns = ((quarterTurns % 4) + 4) % 4
  if (turns === 0) return box
  if (turns === 2) return { ...box, axis: { x: -axis.x, y: -axis.y } }
  const turned = turns === 1 ? { x: -axis.y, y: axis.x } : { x: axis.y, y: -axis.x }
  return { ...box, axis: turned, width: height, height: width }
}

/** The same box, its axis along the longer side, and to the right or straight down. */
function lyingDown(box: RotatedBox): RotatedBox {
  const long = box.width >= box.height ? box : turnAxis(box, 1)
  const { x, y } = long.axis
  return x < -1e-9 || (Math.abs(x) <= 1e-9 && y < 0) ? turnAxis(long, 2) : long
}

/** Enlarges a box by the same distance on all sides. */
export const growBox = (box: RotatedBox, by: number): RotatedBox => ({
  ...box,
  width: box.width + 2 * by,
  height: box.height + 2 * by,
})

/** A box in other coordinates. */
export function mapBox({ centre, axis, width, height }: RotatedBox, t: Similarity): RotatedBox {
  const scale = Math.hypot(t.a, t.b)
  return {
    centre: { x: t.a * centre.x - t.b * centre.y + t.tx, y: t.b * centre.x + t.a * centre.y + t.ty },
    axis: { x: (t.a * axis.x - t.b * axis.y) / scale, y: (t.b * axis.x + t.a * axis.y) / scale },
    width: width * scale,
    height: height * scale,
  }
}

/** A part of a box along its width. @param from, to shares of the width, 0 to 1 */
export function sliceBox(box: RotatedBox, from: number, to: number): RotatedBox {
  const shift = ((from + to) / 2 - 0.5) * box.width
  const centre = { x: box.centre.x + shift * box.axis.x, y: box.centre.y + shift * box.axis.y }
  return { ...box, centre, width: (to - from) * box.width }
}

/** Maps a crop of `width` × `height` pixels onto a box: its first row along the axis. */
export function cropMap(box: RotatedBox, width: number, height: number): Affine {
  const { centre, axis } = box
  const [across, down] = [box.width / width, box.height / height]
  const [xx, yx] = [axis.x * across, axis.y * across]
  const [xy, yy] = [-axis.y * down, axis.x * down]
  return {
    ...{ xx, xy, yx, yy },
    tx: centre.x - (xx * width + xy * height) / 2,
    ty: centre.y - (yx * width + yy * height) / 2,
  }
}

/** Its corners, clockwise from the top left of text along the axis. */
export function boxCorners(box: RotatedBox): Quad {
  const { xx, xy, yx, yy, tx, ty } = cropMap(box, 1, 1)
  return [
    { x: tx, y: ty },
    { x: tx + xx, y: ty + yx },
    { x: tx + xx + xy, y: ty + yx + yy },
    { x: tx + xy, y: ty + yy },
  ]
}
