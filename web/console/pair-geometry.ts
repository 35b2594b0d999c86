/**
 * How two pictures of faces come to lie alike. The unit of the stage is its width; a picture has the width of the stage before it is
 * placed.
 */
import type { Box, Point } from '../detail.ts'

/** Of a stage. */
export const heightByWidth = 1.25

export interface Size {
  width: number
  height: number
}

/** Where the eyes are, in shares of the upright picture. Right is the subject's. */
export interface Eyes {
  right: Point
  left: Point
}

/** Turns, scales and shifts: `(a · x - b · y + x0, b · x + a · y + y0)`. */
export interface Similarity {
  a: number
  b: number
  x0: number
  y0: number
}

const eyesOnStage: Eyes = { right: [0.36, 0.6], left: [0.64, 0.6] }

export const move = ({ a, b, x0, y0 }: Similarity, [x, y]: Point): Point => [
  a * x - b * y + x0,
  b * x + a * y + y0,
]

/** The only similarity that puts two different points on two others. */
export function putOn([p, q]: readonly [Point, Point], [r, s]: readonly [Point, Point]): Similarity {
  const [px, py] = [q[0] - p[0], q[1] - p[1]]
  const [rx, ry] = [s[0] - r[0], s[1] - r[1]]
  const square = px * px + py * py
  const a = (px * rx + py * ry) / square
  const b = (px * ry - py * rx) / square
  return { a, b, x0: r[0] - a * p[0] + b * p[1], y0: r[1] - b * p[0] - a * p[1] }
}

/** A place of the picture as it is stored, in shares, from the place in the upright one. @param turns clockwise quarters that make it upright */
const turnBack = ([x, y]: Point, turns: number): Point =>
  turns % 4 === 0 ? [x, y] : turnBack([y, 1 - x], turns - 1)

/** Right and left end of the widest level line, on the upright picture and on a stage that shows it whole. */
function wholeOnStage({ width, height }: Size, turns: number): [Eyes, Eyes] {
  const ratio = turns % 2 === 0 ? height / width : width / height
  const half = Math.min(1, heightByWidth / ratio) / 2
  const middle = heightByWidth / 2
  return [
    { right: [0, 0.5], left: [1, 0.5] },
    { right: [0.5 - half, middle], left: [0.5 + half, middle] },
  ]
}

/**
 * Puts the eyes of a picture where all have them; a picture without known eyes is shown whole.
 * @param size as it is stored
 */
export function placePicture(size: Size, turns: number, eyes: Eyes | null): Similarity {
  const [from, to] = eyes ? [eyes, eyesOnStage] : wholeOnStage(size, turns)
  const inWidths = (place: Point): Point => {
    const [x, y] = turnBack(place, turns)
    return [x, (y * size.height) / size.width]
  }
  return putOn([inWidths(from.right), inWidths(from.left)], [to.right, to.left])
}

/** Where the eyes of a face are when its box has moved and grown. */
export function followBox({ right, left }: Eyes, [x, y, width, height]: Box, to: Box): Eyes {
  const follow = (eye: Point): Point => [
    to[0] + ((eye[0] - x) / width) * to[2],
    to[1] + ((eye[1] - y) / height) * to[3],
  ]
  return { right: follow(right), left: follow(left) }
}

/** What part of the stages is seen: everything is enlarged, then shifted by shares of width and height. */
export interface Seen {
  zoom: number
  x: number
  y: number
}

export const all: Seen = { zoom: 1, x: 0, y: 0 }

const zoomMax = 8

/** Nothing beside the stage is seen. */
const keepInside = ({ zoom, x, y }: Seen): Seen => ({
  zoom,
  x: Math.min(0, Math.max(1 - zoom, x)),
  y: Math.min(0, Math.max(1 - zoom, y)),
})

export const shift = (seen: Seen, [x, y]: Point): Seen =>
  keepInside({ ...seen, x: seen.x + x, y: seen.y + y })

/** @param at what stays where it is, in shares of the stage */
export function zoomAbout(seen: Seen, factor: number, [x, y]: Point): Seen {
  const zoom = Math.min(zoomMax, Math.max(1, seen.zoom * factor))
  const grown = zoom / seen.zoom
  return keepInside({ zoom, x: x - (x - seen.x) * grown, y: y - (y - seen.y) * grown })
}

const middleOf = (points: readonly Point[]): Point => [
  points.reduce((sum, [x]) => sum + x, 0) / points.length,
  points.reduce((sum, [, y]) => sum + y, 0) / points.length,
]

/** Distance of the first two fingers; one finger has none. */
const spanOf = ([p, q]: readonly Point[]): number =>
  p && q ? Math.hypot(q[0] - p[0], (q[1] - p[1]) * heightByWidth) : 0

/** What is seen after fingers have moved, in shares of the stage: it stays under them. */
export function drag(seen: Seen, from: readonly Point[], to: readonly Point[]): Seen {
  const [[x, y], middle] = [middleOf(from), middleOf(to)]
  const [before, after] = [spanOf(from), spanOf(to)]
  const moved = { ...seen, x: seen.x + middle[0] - x, y: seen.y + middle[1] - y }
  return before > 0 && after > 0 ? zoomAbout(moved, after / before, middle) : keepInside(moved)
}
