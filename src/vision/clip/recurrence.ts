/**
 * Measures whether a movement repeats exactly. A person's lids and lips never look exactly the same twice. Stills that are
 * warped, mirrored or crossfaded periodically do, and so do alternating photos and looped clips.
 */
import type { Zone } from './face-zones.ts'
import { quantile } from './quantile.ts'
import type { RegisteredFace } from './registration.ts'

/** Time in seconds after which two frames no longer belong to the same movement. */
const apartS = 0.45
/** Frames count as moving if they change at least by this share of the 90 % quantile. At least `movingMin` are needed. */
const movingShare = 0.25
const movingMin = 3
/** Minimum of the 90 % quantile of changes for jumps to exist, and the share of it from which a frame counts as a jump. */
const jumpMin = 0.1
const jumpShare = 0.5
/** Lower bound of the divisor in a ratio. */
const differenceMin = 1e-4

/** Mean squared difference of two frames over some zones; `Infinity` if they share no visible pixel. */
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

/** Differences from the previous and next frame, and from the most similar frame of another moment; `Infinity` if there is none. */
interface Moment {
  neighbours: readonly [number, number]
  far: number
}

function compareMoments(faces: readonly RegisteredFace[], zones: readonly Zone[]): Moment[] {
  const differences = faces.map((face, i) =>
    faces.slice(0, i).map((earlier) => difference(face, earlier, zones)),
  )
  const between = (i: number, j: number): number =>
    differences[Math.max(i, j)]?.[Math.min(i, j)] ?? Number.POSITIVE_INFINITY
  return faces.map((face, i) => {
    let far = Number.POSITIVE_INFINITY
    faces.forEach((other, j) => {
      if (Math.abs(other.timeS - face.timeS) >= apartS) far = Math.min(far, between(i, j))
    })
    return { neighbours: [between(i, i - 1), between(i, i + 1)], far }
  })
}

/** Median over the moving frames of the difference from the most similar other moment, divided by the difference from the neighbour. */
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
 * For each moving frame, the difference from the most similar other moment divided by the difference from the more similar
 * adjacent frame; the median of these. About 1 and more for people, 0 if every moment repeats.
 * @param faces in order of time
 * @returns `null` if too little moves, or the clip is too short
 */
export function measureRecurrence(faces: readonly RegisteredFace[], zones: readonly Zone[]): number | null {
  const seen = compareMoments(faces, zones)
  return medianRatio(
    seen.map(({ neighbours }) => Math.min(...neighbours)),
    seen.map(({ far }) => far),
    movingShare,
  )
}

/** The share of a jump by which the frames on both of its sides differ from another moment, as a list; `null` if nothing jumps. */
function jumpRatios(seen: readonly Moment[]): number[] | null {
  const jumps = seen.map(({ neighbours }) => Math.max(...neighbours.filter(Number.isFinite), 0))
  const large = jumps.length === 0 ? 0 : quantile(jumps, 0.9)
  if (large < jumpMin) return null
  return seen.flatMap(({ neighbours: [jump], far }, i) => {
    const farther = Math.max(far, seen[i - 1]?.far ?? far)
    return jump >= jumpShare * large && Number.isFinite(jump) && Number.isFinite(farther)
      ? [farther / jump]
      : []
  })
}

/**
 * The same for jumps, which finds pictures that appear, disappear and appear again, such as lids pasted over eyes. What was
 * there before a jump and what is there after it must both be seen at another moment: an encoder may freeze the open eyes of a
 * person between two blinks, so that only they recur. The lids of a person give 0.01 and more.
 * @returns the smallest value of all zones; `null` if nothing jumps
 */
export function measureJumpRecurrence(
  faces: readonly RegisteredFace[],
  zones: readonly Zone[],
): number | null {
  const medians = zones.flatMap((zone) => {
    const ratios = jumpRatios(compareMoments(faces, [zone]))
    return ratios === null || ratios.length < movingMin ? [] : [quantile(ratios, 0.5)]
  })
  return medians.length === 0 ? null : Math.min(...medians)
}
