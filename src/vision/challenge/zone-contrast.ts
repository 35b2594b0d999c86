/** How much of the light on a part of the picture comes from the screen. */
import type { LightFrame, LightZone } from './light-record.ts'
import type { Course } from './screen-light.ts'
import {
  type Compared,
  computeCourses,
  type Fit,
  paint,
  placeFrames,
  readAt,
  type Sequence,
} from './sequence-fit.ts'
import { meanColours, seenMin, signalsOf } from './zone-colours.ts'

/** Least number of frames that tell something. */
export const framesMin = 15
/** Contrasts of the screen that are tried for a zone. */
const contrasts = [0, ...Array.from({ length: 20 }, (_, i) => 0.002 * 1.65 ** i)]
/** Times that the distance to the contrasts beside the best one is halved. */
const refinements = 3

export interface ZoneContrast {
  value: number
  error: number
}

/** Contrast of the screen in one zone: the one whose course leaves least of the zone's colour. */
export function measureContrast(
  zones: readonly LightZone[],
  frames: readonly LightFrame[],
  { timesS, nuisance, colours }: Compared,
  sequence: Sequence,
  course: Course,
  fit: Fit,
): ZoneContrast | null {
  const means = meanColours(zones, frames)
  const seen = means.flatMap((mean, i) => (mean === null ? [] : [i]))
  if (seen.length < framesMin || seen.length < seenMin * frames.length) return null
  const last = means[seen[0]!]!
  const filled = means.map((mean) => mean ?? last)
  const signals = ([0, 1] as const).map((j) => Float64Array.from(filled, (mean) => signalsOf(mean)[j]))
  const slowed = computeCourses(sequence, course, paint(colours, fit.ambient))
  const place = placeFrames(timesS, fit.delayS, course.shares.length)
  const own = ([0, 1] as const).map((j) => {
    const all = nuisance.copy().add(readAt(slowed[j]!.slow, place))
    // Frames that do not show the zone count with no weight.
    means.forEach((mean, i) => {
      if (mean === null) all.add(Float64Array.from(frames, (_, k) => (k === i ? 1 : 0)))
    })
    return all
  })
  const rest = own.map((nuisance, j) => nuisance.remove(signals[j]!))
  const tryContrast = (value: number) => {
    const courses = value === 0 ? null : computeCourses(sequence, course, paint(colours, 1 / value))
    const predicted = own.map((nuisance, j) =>
      courses ? nuisance.remove(readAt(courses[j]!.course, place)) : new Float64Array(frames.length),
    )
    const left = predicted.reduce(
      (sum, course, j) => sum + course.reduce((sum, value, i) => sum + (rest[j]![i]! - value) ** 2, 0),
      0,
    )
    return { value, left, predicted }
  }
  const coarse = contrasts.map(tryContrast)
  const at = coarse.reduce((best, { left }, i) => (left < coarse[best]!.left ? i : best), 0)
  let best = coarse[at]!
  let [lower, upper] = [coarse[Math.max(0, at - 1)]!, coarse[Math.min(coarse.length - 1, at + 1)]!]
  for (let i = 0; i < refinements; i++) {
    const [below, above] = [(lower.value + best.value) / 2, (best.value + upper.value) / 2].map(
      tryContrast,
    ) as [typeof best, typeof best]
    if (below.left < best.left) [best, upper] = [below, best]
    else if (above.left < best.left) [lower, best] = [best, above]
    else [lower, upper] = [below, above]
  }
  const slope = lower.predicted.reduce(
    (sum, course, j) =>
      sum + course.reduce((sum, value, i) => sum + (upper.predicted[j]![i]! - value) ** 2, 0),
    0,
  )
  const noise = best.left / (2 * seen.length - 8)
  const error = Math.sqrt(noise / Math.max(slope, 1e-15)) * (upper.value - lower.value)
  return { value: best.value, error }
}

/** Parts of the face that look at a screen. */
export const front = ['nose', 'rightCheek', 'leftCheek', 'forehead', 'chin'] as const

export const skin = [...front, 'rightSide', 'leftSide'] as const
/** Less light than this is none. */
const relativeMin = 0.05

export interface Relief {
  /** Deviation of the logarithms, without what the errors of the zones add to it. */
  value: number
  /** What it surely is, one and a half standard errors below. */
  least: number
  /** With the errors. */
  most: number
}

/**
 * How much lights differ; `null` if too few are known.
 * @param lights of the zones, relative to that of the face
 */
export function measureRelief(lights: readonly (ZoneContrast | null)[]): Relief | null {
  const known = lights
    .filter((light) => light !== null)
    .map(({ value, error }) => {
      const least = Math.max(value, relativeMin)
      return { log: Math.log(least), error: error / least }
    })
  if (known.length < skin.length - 2) return null
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const mean = meanOf(known.map(({ log }) => log))
  const most = meanOf(known.map(({ log }) => (log - mean) ** 2))
  const noise = meanOf(known.map(({ error }) => error ** 2))
  const value = Math.max(0, most - noise)
  const spread = Math.sqrt((2 * noise ** 2 + 4 * value * noise) / known.length)
  return {
    value: Math.sqrt(value),
    least: Math.sqrt(Math.max(0, value - 1.5 * spread)),
    most: Math.sqrt(most),
  }
}

/** Light of a zone without the screen's, as it is in the picture. */
export function measureAmbient(
  zones: readonly LightZone[],
  frames: readonly LightFrame[],
  contrast: number,
  meanScreen: number,
): number {
  const means = meanColours(zones, frames).filter((mean) => mean !== null)
  const mean = means.reduce((sum, [r, g, b]) => sum + (r + g + b) / 3, 0) / means.length
  return mean / (1 + contrast * meanScreen)
}
