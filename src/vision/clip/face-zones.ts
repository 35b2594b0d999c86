/** Masks over the chip: parts of a face that move by themselves, and parts that are rigid. */
import { distance, type Point } from '../geometry.ts'

/** Side of the square chip in pixels. */
export const chipSide = 64

/** Mesh points around the moving parts: lids, lips, brows, jaw. */
const lips = [
  0, 13, 14, 17, 37, 39, 40, 42, 61, 78, 81, 82, 84, 87, 88, 91, 95, 146, 178, 181, 183, 185, 191, 267, 269,
  270, 291, 308, 310, 311, 312, 314, 317, 318, 321, 324, 375, 402, 405, 409, 415,
]
const rightEye = [7, 33, 133, 144, 145, 153, 154, 155, 157, 158, 159, 160, 161, 163, 173, 246]
const leftEye = [249, 263, 362, 373, 374, 380, 381, 382, 384, 385, 386, 387, 388, 390, 398, 466]
const rightBrow = [46, 52, 53, 55, 63, 65, 66, 70, 105, 107]
const leftBrow = [276, 282, 283, 285, 293, 295, 296, 300, 334, 336]
const jaw = [
  18, 32, 43, 83, 106, 136, 140, 148, 149, 150, 152, 171, 172, 175, 176, 182, 199, 200, 201, 208, 262, 273,
  313, 335, 365, 369, 377, 378, 379, 396, 397, 400, 406, 421, 428,
]

const moving = new Set([...lips, ...rightEye, ...leftEye, ...rightBrow, ...leftBrow, ...jaw])
/** Every third mesh point on bone and cartilage: enough to locate the rigid parts. */
export const rigidPoints: readonly number[] = Array.from({ length: 468 }, (_, i) => i)
  .filter((i) => !moving.has(i))
  .filter((_, place) => place % 3 === 0)

/** Corners of the convex hull of some points, in order. */
function findConvexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((p, q) => p.x - q.x || p.y - q.y)
  const turn = (o: Point, p: Point, q: Point) => (p.x - o.x) * (q.y - o.y) - (p.y - o.y) * (q.x - o.x)
  const half = (list: readonly Point[]): Point[] => {
    const chain: Point[] = []
    for (const point of list) {
      while (chain.length > 1 && turn(chain.at(-2)!, chain.at(-1)!, point) <= 0) chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  return [...half(sorted), ...half(sorted.toReversed())]
}

/** Sets the mask to 1 for pixels inside the convex hull of some points or within `margin` pixels of it. */
function mark(mask: Uint8Array, points: readonly Point[], margin: number): void {
  const hull = findConvexHull(points)
  const edges = hull.map((from, i) => {
    const to = hull[(i + 1) % hull.length]!
    const length = distance(to, from) || 1
    const [nx, ny] = [-(to.y - from.y) / length, (to.x - from.x) / length]
    return { nx, ny, offset: nx * from.x + ny * from.y }
  })
  for (let y = 0, at = 0; y < chipSide; y++) {
    for (let x = 0; x < chipSide; x++, at++) {
      if (edges.every(({ nx, ny, offset }) => nx * (x + 0.5) + ny * (y + 0.5) - offset >= -margin))
        mask[at] = 1
    }
  }
}

/** Pixels of one part of the face, as indices into the chip. */
export type Zone = Uint16Array

export interface FaceZones {
  /** The whole face. */
  face: Zone
  rightEye: Zone
  leftEye: Zone
  mouth: Zone
  /** Parts that cannot move by themselves: nose, cheeks, forehead. */
  rigid: Zone
}

/** Width of the chip's border in pixels; details are cut off there. */
const borderWidth = 3

/** @param points the mesh in pixels of the chip */
export function findFaceZones(points: readonly Point[]): FaceZones {
  const markShape = (indices: readonly number[], margin: number) => {
    const mask = new Uint8Array(chipSide * chipSide)
    mark(
      mask,
      indices.map((index) => points[index]!),
      margin,
    )
    return mask
  }
  const all = points.map((_, i) => i)
  const face = markShape(all, 0)
  const [right, left, mouth] = [markShape(rightEye, 3), markShape(leftEye, 3), markShape(lips, 2)]
  const others = [right, left, mouth, markShape(rightBrow, 2), markShape(leftBrow, 2), markShape(jaw, 1)]
  const isInner = (at: number) => {
    const [x, y] = [at % chipSide, Math.floor(at / chipSide)]
    return Math.min(x, y, chipSide - 1 - x, chipSide - 1 - y) >= borderWidth
  }
  const places = Uint16Array.from(face.keys()).filter(isInner)
  const toZone = (mask: Uint8Array): Zone => places.filter((at) => mask[at] === 1)
  return {
    face: toZone(face),
    rightEye: toZone(right),
    leftEye: toZone(left),
    mouth: toZone(mouth),
    rigid: toZone(face).filter((at) => others.every((mask) => mask[at] === 0)),
  }
}
