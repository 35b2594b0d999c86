/**
 * Whether a movement comes back exactly. Lids and lips of a person never pass through the same picture twice; a still that is warped,
 * mirrored or crossfaded in a rhythm does, and so do photos shown in turn and clips that are looped.
 */
import type { Zone } from './face-zones.ts'
import { quantile } from './quantile.ts'
import type { RegisteredFace } from './registration.ts'

/** Seconds from which two frames do not belong to one movement. */
const apartS = 0.45
/** Frames that move at least by this share of what the quickest tenth does are looked at. */
const movingShare = 0.25
const movingMin = 3
/** Least difference that a ratio is taken of. */
const differenceMin = 1e-4

/** Mean squared difference of two frames over some zones. */
function difference(a: RegisteredFace, b: RegisteredFace, zones: readonly Zone[]): number {
  let [sum, count] = [0, 0]
  for (const zone of zones) {
    for (const at of zone) {
      if (a.isSeen[at] === 0 || b.isSeen[at] === 0) continue
      sum += (a.chip[at]! - b.chip[at]!) ** 2
      count++
    }
  }
  return count === 0 ? Number.POSITIVE_INFINITY : sum / count
}

/**
 * How unlike the nearest other moment is, measured by how unlike the frames right before and after are; the middle one of the frames
 * that move. About 1 and more for people, 0 where each moment comes back.
 * @param faces in the order of their times
 * @returns `null` where too little moves, or for too short a time
 */
export function recurrence(faces: readonly RegisteredFace[], zones: readonly Zone[]): number | null {
  const near: number[] = []
  const far: number[] = []
  const between = (i: number, j: number): number => {
    const [a, b] = [faces[i], faces[j]]
    return a && b ? difference(a, b, zones) : Number.POSITIVE_INFINITY
  }
  faces.forEach((face, i) => {
    near.push(Math.min(between(i, i - 1), between(i, i + 1)))
    let nearest = Number.POSITIVE_INFINITY
    faces.forEach((other, j) => {
      if (Math.abs(other.timeS - face.timeS) >= apartS) nearest = Math.min(nearest, between(i, j))
    })
    far.push(nearest)
  })
  const known = near.filter(Number.isFinite)
  if (known.length === 0) return null
  const least = movingShare * quantile(known, 0.9)
  const ratios = near.flatMap((value, i) =>
    value >= least && Number.isFinite(value) && Number.isFinite(far[i])
      ? [far[i]! / Math.max(value, differenceMin)]
      : [],
  )
  return ratios.length < movingMin ? null : quantile(ratios, 0.5)
}
