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
/** A tenth of the frames must change by so much at once for a jump, and those that do by this share of it are looked at. */
const jumpMin = 0.1
const jumpShare = 0.5
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

/** Differences to the frame before and after, and to the nearest frame of another moment; infinite where there is none. */
interface Moment {
  neighbours: readonly [number, number]
  far: number
}

function compareMoments(faces: readonly RegisteredFace[], zones: readonly Zone[]): Moment[] {
  const between = (i: number, j: number): number => {
    const [a, b] = [faces[i], faces[j]]
    return a && b ? difference(a, b, zones) : Number.POSITIVE_INFINITY
  }
  return faces.map((face, i) => {
    let far = Number.POSITIVE_INFINITY
    faces.forEach((other, j) => {
      if (Math.abs(other.timeS - face.timeS) >= apartS) far = Math.min(far, between(i, j))
    })
    return { neighbours: [between(i, i - 1), between(i, i + 1)], far }
  })
}

/** How unlike each moving frame is the nearest other moment, by how unlike its neighbour is; the middle one. */
function medianRatio(near: readonly number[], far: readonly number[], share: number): number | null {
  const known = near.filter(Number.isFinite)
  if (known.length === 0) return null
  const least = share * quantile(known, 0.9)
  const ratios = near.flatMap((value, i) =>
    value >= least && Number.isFinite(value) && Number.isFinite(far[i])
      ? [far[i]! / Math.max(value, differenceMin)]
      : [],
  )
  return ratios.length < movingMin ? null : quantile(ratios, 0.5)
}

/**
 * How unlike the nearest other moment is, measured by how unlike the nearer of the frames right before and after is; the middle one
 * of the frames that move. About 1 and more for people, 0 where each moment comes back.
 * @param faces in the order of their times
 * @returns `null` where too little moves, or for too short a time
 */
export function measureRecurrence(faces: readonly RegisteredFace[], zones: readonly Zone[]): number | null {
  const seen = compareMoments(faces, zones)
  return medianRatio(
    seen.map(({ neighbours }) => Math.min(...neighbours)),
    seen.map(({ far }) => far),
    movingShare,
  )
}

/**
 * The same of the frames next to a jump: a picture that is shown, taken away and shown again, as lids that are pasted over eyes. Lids of
 * a person that close again are 0.01 and more apart.
 * @returns of the zone in which it is least; `null` where nothing jumps
 */
export function measureJumpRecurrence(
  faces: readonly RegisteredFace[],
  zones: readonly Zone[],
): number | null {
  const ratios = zones.map((zone) => {
    const seen = compareMoments(faces, [zone])
    const jumps = seen.map(({ neighbours }) => Math.max(...neighbours.filter(Number.isFinite), 0))
    if (jumps.length === 0 || quantile(jumps, 0.9) < jumpMin) return null
    return medianRatio(
      jumps,
      seen.map(({ far }) => far),
      jumpShare,
    )
  })
  const known = ratios.filter((ratio) => ratio !== null)
  return known.length === 0 ? null : Math.min(...known)
}
