/**
 * Whether a face that comes nearer is solid.
 *
 * Seen from nearer, what lies before the eyes grows more than the eyes, and ears and outline less. In a picture of the far face, laid over
 * the near one, a point at the depth `z` moves by `z · x · e / D · (s − 1)`, where `e / D` is the eye distance relative to the distance of
 * the camera and `s` how much larger the face is. A flat picture follows a homography instead, and a bent one has the depth of a cylinder;
 * both, and a turn of the head, are fitted beside it and count for nothing.
 */
import { meshIndex } from '../facemesh.ts'
import type { Point } from '../geometry.ts'
import {
  type ApproachFrame,
  type ApproachRecord,
  approachPoints,
  layOver,
  readPlaces,
} from './approach-record.ts'
import { dot, Nuisance } from './nuisance.ts'

export interface ApproachStep {
  from: number
  to: number
}

/** When the page says that a step was shown, in seconds of the clip. */
export interface StepWindow {
  fromS: number
  toS: number
}

export interface ApproachFinding {
  status: 'performed' | 'not_performed' | 'cannot_tell'
  /** What helps if it cannot be told. */
  advice: '' | 'nearer' | 'hold_still'
  frames: number
  /** Width of the face in shares of the picture's shorter side, smallest and largest; `null` if too few frames show the face. */
  from: number | null
  to: number | null
  /** How much larger the face became. */
  growth: number | null
  /** Depth of the face relative to that which its look suggests: 1 for a solid face if points were exact, 0 for a flat picture. */
  depth: number | null
  /** Standard error of the depth. */
  error: number | null
}

const framesMin = 8
/** Focal length of usual cameras of phones and computers, in longer sides of the picture. */
const focalLength = 0.75
/** Distance of the eyes as a share of the width from ear to ear. */
const eyeShare = 0.62

/**
 * The mesh network draws what it sees toward an average face: of rendered people it shows a fifth of the depth, 0.16 to 0.26, of flat
 * pictures up to 0.05. So the bounds lie between these, and whatever is not clearly beyond them cannot be told.
 */
const bounds = {
  /** Share of the growth asked for that is enough. */
  growthShare: 0.75,
  growthMin: 1.35,
  /** How far the widths may be from those asked for. */
  widthTolerance: 0.08,
  depthMin: 0.08,
  flatMax: 0.1,
  /** No head is deeper. */
  depthMax: 2,
  /** Standard errors from the bound. */
  errors: 2.5,
} as const

/**
 * Weights of the points' movements, x and y in turn, whose sum is the depth: they are 1 for the movement of a solid face and 0 for those of
 * pictures and turns. `null` if the points do not tell them apart.
 */
function weighMovements(points: readonly Point[], depths: readonly number[]): Float64Array | null {
  const nuisance = new Nuisance()
  const add = (moveBy: (point: Point, depth: number) => readonly [number, number]) =>
    nuisance.add(Float64Array.from(points.flatMap((point, i) => moveBy(point, depths[i]!))))
  // A homography: affine, and the two terms of its vanishing line.
  for (const term of [() => 1, ({ x }: Point) => x, ({ y }: Point) => y]) {
    add((point) => [term(point), 0])
    add((point) => [0, term(point)])
  }
  add(({ x, y }) => [x * x, x * y])
  add(({ x, y }) => [x * y, y * y])
  // A turning head, and the same of a cylinder in any direction, near and far.
  add((_, depth) => [depth, 0])
  add((_, depth) => [0, depth])
  for (const curve of [({ x }: Point) => x * x, ({ x, y }: Point) => x * y, ({ y }: Point) => y * y]) {
    add((point) => [curve(point), 0])
    add((point) => [0, curve(point)])
    add((point) => [curve(point) * point.x, curve(point) * point.y])
  }
  const solid = Float64Array.from(points.flatMap(({ x, y }, i) => [x * depths[i]!, y * depths[i]!]))
  // Twice, since once is not exact.
  const rest = nuisance.remove(nuisance.remove(solid))
  const square = dot(rest, rest)
  return square > 0.02 ** 2 * dot(solid, solid) ? rest.map((value) => value / square) : null
}

function meanShape(frames: readonly ApproachFrame[]): Point[] {
  const first = readPlaces(frames[0]!)
  const laid = frames.map((frame) => layOver(readPlaces(frame), first).points)
  return first.map((_, i) => ({
    x: laid.reduce((sum, points) => sum + points[i]!.x, 0) / laid.length,
    y: laid.reduce((sum, points) => sum + points[i]!.y, 0) / laid.length,
  }))
}

const cannotTell = (frames: number, advice: ApproachFinding['advice']): ApproachFinding => ({
  status: 'cannot_tell',
  advice,
  frames,
  from: null,
  to: null,
  growth: null,
  depth: null,
  error: null,
})

/**
 * Measures the depth of a face that came nearer.
 * @param window when the page says that it asked for it
 */
export function measureApproach(
  { depths, frames: all }: ApproachRecord,
  step: ApproachStep,
  { fromS, toS }: StepWindow,
): ApproachFinding {
  const inTime = all.filter(
    ({ timeS, places }) =>
      timeS >= fromS - 0.2 && timeS <= toS + 0.5 && places.length === 2 * approachPoints.length,
  )
  const segment = inTime[0]?.segment
  const frames = inTime.filter((frame) => frame.segment === segment)
  if (frames.length < framesMin || depths.length !== approachPoints.length)
    return cannotTell(frames.length, 'hold_still')
  const bySize = frames.toSorted((a, b) => a.share - b.share)
  const few = Math.max(2, Math.round(frames.length / 6))
  const far = meanShape(bySize.slice(0, few))
  // In eye distances around the middle.
  const [rightEar, leftEar] = [
    far[approachPoints.indexOf(meshIndex.rightCheek)]!,
    far[approachPoints.indexOf(meshIndex.leftCheek)]!,
  ]
  const eyes = Math.hypot(rightEar.x - leftEar.x, rightEar.y - leftEar.y) * eyeShare
  const middle = {
    x: far.reduce((sum, { x }) => sum + x, 0) / far.length,
    y: far.reduce((sum, { y }) => sum + y, 0) / far.length,
  }
  const points = far.map(({ x, y }) => ({ x: (x - middle.x) / eyes, y: (y - middle.y) / eyes }))
  const weights = eyes > 0 ? weighMovements(points, depths) : null
  if (!weights) return cannotTell(frames.length, 'hold_still')
  const measured = frames.map((frame) => {
    const { points: laid, scale } = layOver(readPlaces(frame), far)
    const moved = laid.reduce(
      (sum, { x, y }, i) =>
        sum + (weights[2 * i]! * (x - far[i]!.x) + weights[2 * i + 1]! * (y - far[i]!.y)) / eyes,
      0,
    )
    return { growth: 1 / scale - 1, moved }
  })
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [growthMean, movedMean] = [
    mean(measured.map(({ growth }) => growth)),
    mean(measured.map(({ moved }) => moved)),
  ]
  const spread = measured.reduce((sum, { growth }) => sum + (growth - growthMean) ** 2, 0)
  const slope =
    measured.reduce((sum, { growth, moved }) => sum + (growth - growthMean) * (moved - movedMean), 0) / spread
  const rests = measured.map(({ growth, moved }) => moved - movedMean - slope * (growth - growthMean))
  const variance = rests.reduce((sum, rest) => sum + rest ** 2, 0) / (rests.length - 2)
  // Errors of frames beside each other are alike.
  const echo =
    rests.slice(1).reduce((sum, rest, i) => sum + rest * rests[i]!, 0) / ((rests.length - 1) * variance)
  const alike = Math.max(0, Math.min(0.9, echo))
  const perUnit = focalLength / eyes
  const depth = slope * perUnit
  const error = Math.sqrt((variance / spread) * ((1 + alike) / (1 - alike))) * perUnit
  const shareOf = (frames: readonly ApproachFrame[]) => mean(frames.map(({ share }) => share))
  const timeOf = (frames: readonly ApproachFrame[]) => mean(frames.map(({ timeS }) => timeS))
  const [smallest, largest] = [bySize.slice(0, few), bySize.slice(-few)]
  const growth = shareOf(largest) / shareOf(smallest)
  const found = {
    frames: frames.length,
    from: bySize[0]!.share,
    to: bySize.at(-1)!.share,
    growth,
    depth,
    error,
  }
  if (![depth, error, growth].every(Number.isFinite)) return cannotTell(frames.length, 'hold_still')
  const enough = Math.max(bounds.growthMin, 1 + (step.to / step.from - 1) * bounds.growthShare)
  const isAsAsked =
    growth >= enough &&
    shareOf(smallest) <= step.from + bounds.widthTolerance &&
    shareOf(largest) >= step.to - bounds.widthTolerance &&
    timeOf(smallest) < timeOf(largest)
  if (!isAsAsked) return { ...cannotTell(frames.length, 'nearer'), ...found }
  if (depth - bounds.errors * error > bounds.depthMin && depth < bounds.depthMax)
    return { status: 'performed', advice: '', ...found }
  if (depth + bounds.errors * error < bounds.flatMax) return { status: 'not_performed', advice: '', ...found }
  return { ...cannotTell(frames.length, 'hold_still'), ...found }
}
