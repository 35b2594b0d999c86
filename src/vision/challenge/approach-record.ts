/** What a later decision needs to find the perspective of a face that comes nearer: some points of its mesh, frame by frame. */

import { rigidPoints } from '../clip/face-zones.ts'
import { type FaceMesh, meshIndex } from '../facemesh.ts'
import { distance, fitSimilarity, type Point, transform } from '../geometry.ts'

/** Points on bone and cartilage: the middle of the nose, the ears, and others spread over the face. */
export const approachPoints: readonly number[] = [
  ...new Set([
    ...[1, 4, 5, 195, 6, meshIndex.rightCheek, meshIndex.leftCheek, meshIndex.forehead],
    ...rigidPoints.filter((_, place) => place % 3 === 0),
  ]),
]

/** Places are scaled by this, in longer sides of the picture. */
const placeUnits = 20_000
/** Longer clips keep every second frame, or fewer. */
const framesMax = 50

export interface ApproachFrame {
  timeS: number
  segment: number
  /** Width of the face (mesh, ear to ear) as a share of the picture's shorter side. */
  share: number
  /** x and y of each point, as whole numbers of `1 / placeUnits` of the picture's longer side. */
  places: readonly number[]
}

export interface ApproachRecord {
  /** How far each point lies before the middle of the face, in eye distances: mean of the frames. */
  depths: readonly number[]
  frames: readonly ApproachFrame[]
}

/** Collects the frames of one clip. */
export class ApproachRecorder {
  #frames: ApproachFrame[] = []
  readonly #depths = new Float64Array(approachPoints.length)
  #count = 0
  #every = 1

  add({ points }: FaceMesh, picture: { width: number; height: number }, timeS: number, segment = 0): void {
    const apart = distance(points[meshIndex.rightEyeOuter]!, points[meshIndex.leftEyeOuter]!)
    const chosen = approachPoints.map((index) => points[index]!)
    const middle = chosen.reduce((sum, { z }) => sum + z, 0) / chosen.length
    const depths = chosen.map(({ z }) => (middle - z) / apart)
    if (![...depths, ...chosen.flatMap(({ x, y }) => [x, y])].every(Number.isFinite)) return
    depths.forEach((depth, i) => {
      this.#depths[i]! += depth
    })
    if (this.#count++ % this.#every !== 0) return
    const unit = placeUnits / Math.max(picture.width, picture.height)
    const width = distance(points[meshIndex.rightCheek]!, points[meshIndex.leftCheek]!)
    this.#frames.push({
      timeS,
      segment,
      share: width / Math.min(picture.width, picture.height),
      places: chosen.flatMap(({ x, y }) => [Math.round(x * unit), Math.round(y * unit)]),
    })
    if (this.#frames.length <= framesMax) return
    this.#frames = this.#frames.filter((_, i) => i % 2 === 0)
    this.#every *= 2
  }

  /** `null` if no frame shows a face. */
  read(): ApproachRecord | null {
    if (this.#count === 0) return null
    const depths = Array.from(this.#depths, (sum) => Math.round((sum / this.#count) * 1000) / 1000)
    return { depths, frames: this.#frames }
  }
}

/** Places of a frame as points, in longer sides of the picture. */
export const readPlaces = ({ places }: ApproachFrame): Point[] =>
  approachPoints.map((_, i) => ({ x: places[2 * i]! / placeUnits, y: places[2 * i + 1]! / placeUnits }))

/** Maps points onto others by a similarity, and says by how much they were enlarged. */
export function layOver(
  points: readonly Point[],
  onto: readonly Point[],
): { points: Point[]; scale: number } {
  const map = fitSimilarity(points, onto)
  return { points: points.map((point) => transform(map, point)), scale: Math.hypot(map.a, map.b) }
}
