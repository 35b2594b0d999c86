/**
 * Agreement of a face's colours with a sequence that a screen was told to show, against other sequences.
 *
 * A zone that a screen lights beside other light has the colour `E · W · ρ · (A + g · L)`: exposure, white balance, skin, ambient light,
 * distance and angle to the screen, and the screen's light. In ratios of two channels `E` and `ρ` cancel out, and `W` changes slowly. So
 * they are compared with `ln((α + L₁) / (α + L₂))`, where `1 / α = g / A` is the contrast of the screen.
 */
import { dot, type Nuisance } from './nuisance.ts'
import type { Piecewise } from './pieces.ts'
import { type Course, computeCourse, tickS } from './screen-light.ts'
import { seededRandom } from './seeded-random.ts'
import { signalsOf, type Triple } from './zone-colours.ts'

/** Delays that are tried, in seconds: of screens and cameras up to half a second; the clocks of page and clip differ a little. */
const delayFromS = -0.1
export const delayToS = 0.5
export const delayStepS = 0.05
/** Ambient light that is tried, in white screens. */
const ambients = [0.2, 1.2, 8]
/** Other sequences that are compared. */
const othersCount = 120
const othersPerPiece = 4
/** Time constants of automatic exposure and white balance in seconds. */
const slowS = [1, 1, 0.4] as const

/** A sequence of colours as it could have been drawn. */
export interface Sequence {
  order: readonly number[]
  durationsMs: readonly number[]
}

/** Signals of each colour in some ambient light. */
export const paint = (colours: readonly Triple[], ambient: number): Triple[] =>
  colours.map(([r, g, b]) => signalsOf([ambient + r, ambient + g, ambient + b]))

/** Course of each signal, and the same followed slowly, at each tick. */
export function computeCourses(sequence: Sequence, { colours, shares }: Course, signals: readonly Triple[]) {
  return ([0, 1, 2] as const).map((j) => {
    const values = sequence.order.map((index) => signals[index]![j])
    const course = new Float64Array(shares.length)
    const slow = new Float64Array(shares.length)
    const pace = 1 - Math.exp(-tickS / slowS[j])
    let state = values[0]!
    for (let tick = 0; tick < shares.length; tick++) {
      const [current, share] = [colours[tick]!, shares[tick]!]
      const value =
        share === 1 ? values[current]! : share * values[current]! + (1 - share) * values[current - 1]!
      course[tick] = value
      state += (value - state) * pace
      slow[tick] = state
    }
    return { course, slow }
  })
}

/** Where the frames lie in a course that began some seconds later. */
export interface Places {
  ticks: Int32Array
  /** Share of the tick behind each. */
  parts: Float64Array
}

export function placeFrames(timesS: readonly number[], delayS: number, tickCount: number): Places {
  const places = { ticks: new Int32Array(timesS.length), parts: new Float64Array(timesS.length) }
  timesS.forEach((timeS, i) => {
    const place = Math.max(0, Math.min(tickCount - 1.001, (timeS - delayS) / tickS - 0.5))
    places.ticks[i] = Math.floor(place)
    places.parts[i] = place - Math.floor(place)
  })
  return places
}

export function readAt(course: Float64Array, { ticks, parts }: Places, to = new Float64Array(ticks.length)) {
  for (let i = 0; i < ticks.length; i++) {
    const tick = ticks[i]!
    to[i] = course[tick]! + (course[tick + 1]! - course[tick]!) * parts[i]!
  }
  return to
}

/**
 * Share of a signal that a course explains with positive sign, beside its slow copy and a basis.
 * @param signal without what the basis explains
 */
function explain(
  signal: Float64Array,
  basis: readonly Float64Array[],
  course: Float64Array,
  slow: Float64Array,
): number {
  let [cc, ss, cs] = [dot(course, course), dot(slow, slow), dot(course, slow)]
  const [yc, ys, yy] = [dot(signal, course), dot(signal, slow), dot(signal, signal)]
  for (const base of basis) {
    const [bc, bs] = [dot(base, course), dot(base, slow)]
    cc -= bc * bc
    ss -= bs * bs
    cs -= bc * bs
  }
  if (!(cc > 1e-9) || !(yy > 1e-18)) return 0
  // What the slow copy explains alone is no evidence for the sequence.
  const hasSlow = ss > 1e-9
  const own = hasSlow ? cc - (cs * cs) / ss : cc
  const agreeing = hasSlow ? yc - (cs * ys) / ss : yc
  const rest = hasSlow ? yy - (ys * ys) / ss : yy
  if (!(own > 0.02 * cc) || agreeing <= 0 || !(rest > 0)) return 0
  return Math.min(1, (agreeing * agreeing) / (own * rest))
}

export interface Fit {
  score: number
  delayS: number
  ambient: number
}

export interface Compared {
  timesS: readonly number[]
  nuisance: Nuisance
  /** Without nuisance. */
  signals: readonly Float64Array[]
  colours: readonly Triple[]
  isSoft: boolean
}

export const delaysBetween = (fromS: number, toS: number): number[] =>
  Array.from({ length: Math.round((toS - fromS) / delayStepS) + 1 }, (_, i) => fromS + i * delayStepS)

/** The best agreement of a sequence with the signals. */
export function fitSequence(
  sequence: Sequence,
  { timesS, nuisance: { basis }, signals, colours, isSoft }: Compared,
  delaysS = delaysBetween(delayFromS, delayToS),
): Fit {
  const course = computeCourse(sequence.durationsMs, isSoft)
  const places = delaysS.map((delayS) => placeFrames(timesS, delayS, course.shares.length))
  const [fast, slowly] = [new Float64Array(timesS.length), new Float64Array(timesS.length)]
  let best: Fit = { score: -1, delayS: 0, ambient: ambients[0]! }
  for (const ambient of ambients) {
    const courses = computeCourses(sequence, course, paint(colours, ambient))
    places.forEach((place, at) => {
      const explained = courses.map(({ course, slow }, j) =>
        explain(signals[j]!, basis, readAt(course, place, fast), readAt(slow, place, slowly)),
      )
      // Half the negative logarithm of what is left, per frame. A floor keeps one perfect signal from hiding the others.
      const score = -explained.reduce((sum, share) => sum + Math.log(1 - share + 0.002), 0) / 2
      if (score > best.score) best = { score, delayS: delaysS[at]!, ambient }
    })
  }
  return best
}

function shuffle<T>(values: readonly T[], random: () => number): T[] {
  const all = [...values]
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[all[i], all[j]] = [all[j]!, all[i]!]
  }
  return all
}

/** Probability of a score above `score` among the others: exponential beyond their upper quarter. */
function estimateChance(score: number, others: readonly number[]): number {
  const sorted = [...others].sort((a, b) => a - b)
  const from = Math.floor(sorted.length * 0.75)
  const start = sorted[from]!
  const above = sorted.slice(from)
  if (score <= start) return sorted.filter((other) => other >= score).length / sorted.length
  const excess = above.reduce((sum, other) => sum + other - start, 0) / above.length
  return 0.25 * Math.exp(-(score - start) / Math.max(excess, 1e-9))
}

/**
 * Probability that another sequence of the same colours agrees as well by chance. A piece of the work compares a few of them.
 * @returns `null` if the colours make too few other sequences
 */
export function* measureChance(
  shown: Sequence,
  { score }: Fit,
  compared: Compared,
): Piecewise<number | null> {
  const { order, durationsMs } = shown
  const random = seededRandom(Math.round(durationsMs.reduce((sum, ms) => sum + ms, 0)) + order.length)
  const { colours } = compared
  const isSame = (a: number, b: number) => colours[a]!.every((value, i) => value === colours[b]![i])
  const isOther = (other: readonly number[]) =>
    other.filter((index, i) => isSame(index, i)).length <= order.length / 2
  const others: number[] = []
  for (let tries = 0; others.length < othersCount && tries < 4 * othersCount; tries++) {
    if (tries % othersPerPiece === 0) yield
    const other = shuffle(order, random)
    if (isOther(other))
      others.push(fitSequence({ order: other, durationsMs: shuffle(durationsMs, random) }, compared).score)
  }
  return others.length < othersCount ? null : estimateChance(score, others)
}
