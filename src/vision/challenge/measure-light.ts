/**
 * Whether a face was lit by the colours that a screen was told to show.
 *
 * A zone that a screen lights beside other light has the colour `E · W · ρ · (A + g · L)`: exposure, white balance, skin, ambient light,
 * distance and angle to the screen, and the screen's light. In ratios of two channels `E` and `ρ` cancel out, and `W` changes slowly. So
 * they are compared with `ln((α + L₁) / (α + L₂))`, where `1 / α = g / A` is the contrast of the screen.
 */
import { colourUnits, type LightFrame, type LightRecord, type LightZone, lightZones } from './light-record.ts'
import { computeCourse, readColour, type ScreenColour, tickS } from './screen-light.ts'

export interface LightStep {
  colours: readonly ScreenColour[]
}

/** When the page says that a step was shown, in seconds of the clip. */
export interface StepWindow {
  fromS: number
  toS: number
}

export interface LightFinding {
  status: 'performed' | 'not_performed' | 'cannot_tell'
  /** 0…1, high is an attack; `null` if it cannot be told. */
  attackScore: number | null
  /** What helps if it cannot be told. */
  advice: '' | 'less_light' | 'hold_still' | 'nearer'
  /** Frames that were compared. */
  frames: number
  /** Probability that another sequence of these colours agrees as well by chance; `null` if too few frames show the face. */
  chance: number | null
  /** Share of the changes of colour that the sequence explains, 0…1. */
  agreement: number | null
  /** Seconds from the page's time to the camera's at the best agreement. */
  delayS: number | null
  /** Light of the white screen on the face relative to all other light. */
  contrast: number | null
  /** Standard error of a zone's contrast, in contrasts of the face. */
  error: number | null
  /** Light of the screen on parts of the picture, relative to the middle of the face: 1 if it is even. `null` if not visible. */
  sides: number | null
  neck: number | null
  background: number | null
  /** The same for the dark brows, in shares of what they reflect: 1 for light, more for a colour that is laid over. */
  brows: number | null
}

const framesMin = 15
const coloursMax = 32
const durationMaxS = 30
/** Delays that are tried, in seconds: of screens and cameras up to half a second; the clocks of page and clip differ a little. */
const delayFromS = -0.1
const delayToS = 0.5
const delayStepS = 0.05
/** Ambient light that is tried, in white screens. */
const ambients = [0.2, 1.2, 8]
/** Other sequences that are compared. */
const othersCount = 120
/** Time constants of automatic exposure and white balance in seconds. */
const slowS = [1, 1, 0.4] as const

type Triple = readonly [number, number, number]

/** Mean colour of some zones, linear; `null` if none is visible. */
function meanColour({ colours }: LightFrame, zones: readonly LightZone[]): Triple | null {
  const sum = [0, 0, 0]
  let count = 0
  for (const zone of zones) {
    const at = lightZones.indexOf(zone) * 3
    if (!(colours[at]! >= 0 && colours[at + 1]! >= 0 && colours[at + 2]! >= 0)) continue
    for (let i = 0; i < 3; i++) sum[i]! += colours[at + i]! / colourUnits
    count++
  }
  return count === 0 ? null : [sum[0]! / count, sum[1]! / count, sum[2]! / count]
}

const darkest = 1 / colourUnits
const signalsOf = ([red, green, blue]: Triple): Triple => {
  const [r, g, b] = [red, green, blue].map((value) => Math.log(Math.max(value, darkest))) as unknown as Triple
  return [r - g, b - g, (r + g + b) / 3]
}

/** Removes from vectors what a basis explains. */
class Nuisance {
  readonly #basis: Float64Array[] = []

  constructor(columns: readonly (readonly number[])[]) {
    for (const column of columns) this.add(Float64Array.from(column))
  }

  add(column: Float64Array): void {
    const before = Math.sqrt(dot(column, column))
    const rest = this.remove(this.remove(column))
    const length = Math.sqrt(dot(rest, rest))
    if (!(length > 1e-6 * before)) return
    this.#basis.push(rest.map((value) => value / length))
  }

  copy(): Nuisance {
    const other = new Nuisance([])
    other.#basis.push(...this.#basis)
    return other
  }

  remove(vector: Float64Array): Float64Array {
    const rest = vector.slice()
    for (const base of this.#basis) {
      const share = dot(rest, base)
      for (let i = 0; i < rest.length; i++) rest[i]! -= share * base[i]!
    }
    return rest
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** A sequence of colours as it could have been drawn. */
interface Sequence {
  order: readonly number[]
  durationsMs: readonly number[]
}

/** Signals of each colour in some ambient light. */
const paint = (colours: readonly Triple[], ambient: number): Triple[] =>
  colours.map(([r, g, b]) => signalsOf([ambient + r, ambient + g, ambient + b]))

/** Course of one signal, and the same followed slowly, at each tick. */
function computeCourses(sequence: Sequence, shares: readonly Float64Array[], signals: readonly Triple[]) {
  return ([0, 1, 2] as const).map((j) => {
    const course = new Float64Array(shares.length)
    const slow = new Float64Array(shares.length)
    const pace = 1 - Math.exp(-tickS / slowS[j])
    let state = signals[sequence.order[0]!]![j]
    shares.forEach((share, tick) => {
      let value = 0
      for (let i = 0; i < share.length; i++)
        if (share[i] !== 0) value += share[i]! * signals[sequence.order[i]!]![j]
      course[tick] = value
      state += (value - state) * pace
      slow[tick] = state
    })
    return { course, slow }
  })
}

function readAt(course: Float64Array, timesS: readonly number[], delayS: number): Float64Array {
  const last = course.length - 1
  return Float64Array.from(timesS, (timeS) => {
    const place = (timeS - delayS) / tickS - 0.5
    const tick = Math.max(0, Math.min(last, Math.floor(place)))
    const part = Math.max(0, Math.min(1, place - tick))
    return course[tick]! * (1 - part) + course[Math.min(last, tick + 1)]! * part
  })
}

/** Share of a signal that a course explains with positive sign, beside its slow copy. All without nuisance. */
function explain(signal: Float64Array, course: Float64Array, slow: Float64Array): number {
  const [cc, ss, cs] = [dot(course, course), dot(slow, slow), dot(course, slow)]
  const [yc, ys, yy] = [dot(signal, course), dot(signal, slow), dot(signal, signal)]
  if (!(cc > 1e-12) || !(yy > 1e-18)) return 0
  // What the slow copy explains alone is no evidence for the sequence.
  const own = ss > 1e-12 ? cc - (cs * cs) / ss : cc
  const with_ = ss > 1e-12 ? yc - (cs * ys) / ss : yc
  const rest = ss > 1e-12 ? yy - (ys * ys) / ss : yy
  if (!(own > 0.02 * cc) || with_ <= 0 || !(rest > 0)) return 0
  return Math.min(1, (with_ * with_) / (own * rest))
}

interface Fit {
  score: number
  explained: Triple
  delayS: number
  ambient: number
}

interface Compared {
  timesS: readonly number[]
  nuisance: Nuisance
  /** Without nuisance. */
  signals: readonly Float64Array[]
  colours: readonly Triple[]
  isSoft: boolean
}

/** The best agreement of a sequence with the signals. */
function fitSequence(sequence: Sequence, { timesS, nuisance, signals, colours, isSoft }: Compared): Fit {
  const shares = computeCourse(sequence.durationsMs, isSoft)
  let best: Fit = { score: -1, explained: [0, 0, 0], delayS: 0, ambient: ambients[0]! }
  for (const ambient of ambients) {
    const courses = computeCourses(sequence, shares, paint(colours, ambient))
    for (let delayS = delayFromS; delayS <= delayToS + 1e-9; delayS += delayStepS) {
      const explained = courses.map(({ course, slow }, j) =>
        explain(
          signals[j]!,
          nuisance.remove(readAt(course, timesS, delayS)),
          nuisance.remove(readAt(slow, timesS, delayS)),
        ),
      ) as unknown as Triple
      // Half the negative logarithm of what is left, per frame. A floor keeps one perfect signal from hiding the others.
      const score = -explained.reduce((sum, share) => sum + Math.log(1 - share + 0.002), 0) / 2
      if (score > best.score) best = { score, explained, delayS, ambient }
    }
  }
  return best
}

/** A small generator (mulberry32): the same clip gives the same answer. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
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

/** Contrasts of the screen that are tried for a zone. */
const contrasts = Array.from({ length: 36 }, (_, i) => 0.002 * 1.3 ** i)

interface ZoneContrast {
  value: number
  error: number
}

/** Contrast of the screen in one zone: the one whose course leaves least of the zone's colour. */
function measureContrast(
  zones: readonly LightZone[],
  frames: readonly LightFrame[],
  { timesS, nuisance, colours }: Compared,
  sequence: Sequence,
  shares: readonly Float64Array[],
  fit: Fit,
): ZoneContrast | null {
  const means = frames.map((frame) => meanColour(frame, zones))
  const seen = means.flatMap((mean, i) => (mean === null ? [] : [i]))
  if (seen.length < framesMin || seen.length < 0.7 * frames.length) return null
  const last = means[seen[0]!]!
  const filled = means.map((mean) => mean ?? last)
  const signals = ([0, 1] as const).map((j) => Float64Array.from(filled, (mean) => signalsOf(mean)[j]))
  const slowed = computeCourses(sequence, shares, paint(colours, fit.ambient))
  const own = ([0, 1] as const).map((j) => {
    const all = nuisance.copy()
    all.add(readAt(slowed[j]!.slow, timesS, fit.delayS))
    // Frames that do not show the zone count with no weight.
    means.forEach((mean, i) => {
      if (mean === null) all.add(Float64Array.from(frames, (_, k) => (k === i ? 1 : 0)))
    })
    return all
  })
  const rest = own.map((nuisance, j) => nuisance.remove(signals[j]!))
  const tried = [0, ...contrasts].map((value) => {
    const courses = value === 0 ? null : computeCourses(sequence, shares, paint(colours, 1 / value))
    const predicted = own.map((nuisance, j) =>
      courses
        ? nuisance.remove(readAt(courses[j]!.course, timesS, fit.delayS))
        : new Float64Array(frames.length),
    )
    const left = predicted.reduce(
      (sum, course, j) => sum + course.reduce((sum, value, i) => sum + (rest[j]![i]! - value) ** 2, 0),
      0,
    )
    return { value, left, predicted }
  })
  const at = tried.reduce((best, { left }, i) => (left < tried[best]!.left ? i : best), 0)
  const [lower, upper] = [tried[Math.max(0, at - 1)]!, tried[Math.min(tried.length - 1, at + 1)]!]
  const slope = lower.predicted.reduce(
    (sum, course, j) =>
      sum + course.reduce((sum, value, i) => sum + (upper.predicted[j]![i]! - value) ** 2, 0),
    0,
  )
  const noise = tried[at]!.left / (2 * seen.length - 8)
  const error = Math.sqrt(noise / Math.max(slope, 1e-15)) * (upper.value - lower.value)
  return { value: tried[at]!.value, error }
}

const front = ['nose', 'rightCheek', 'leftCheek', 'forehead', 'chin'] as const

/** Light of a zone without the screen's, as it is in the picture. */
function measureAmbient(
  zones: readonly LightZone[],
  frames: readonly LightFrame[],
  contrast: number,
  meanScreen: number,
): number {
  const means = frames.map((frame) => meanColour(frame, zones)).filter((mean) => mean !== null)
  const mean = means.reduce((sum, [r, g, b]) => sum + (r + g + b) / 3, 0) / means.length
  return mean / (1 + contrast * meanScreen)
}

/** Bounds, fitted on simulations of people of the fit set (`npm run accuracy -- challenge`). */
const bounds = {
  /** Largest chance of another sequence. */
  chanceMax: 0.0005,
  /** Least share of the changes that the sequence explains. */
  agreementMin: 0.35,
  /** Contrasts below this are too small for a shape. */
  contrastMin: 0.012,
  /** Largest error of a zone's contrast relative to the face's. */
  errorMax: 0.25,
  sidesMax: 0.9,
  backgroundMax: 0.6,
  neckMin: 0.1,
  browsMax: 1.6,
} as const

const nothing = {
  chance: null,
  agreement: null,
  delayS: null,
  contrast: null,
  error: null,
  sides: null,
  neck: null,
  background: null,
  brows: null,
}

const cannotTell = (frames: number, advice: LightFinding['advice']): LightFinding => ({
  status: 'cannot_tell',
  attackScore: null,
  advice,
  frames,
  ...nothing,
})

/**
 * Compares the colours of a face with those that the screen was told to show.
 * @param window when the page says that it showed them; the camera's delay is found
 * @param soft whether the colours were faded
 */
export function measureLight(
  record: LightRecord,
  step: LightStep,
  window: StepWindow,
  soft: boolean,
): LightFinding {
  const totalS = step.colours.reduce((sum, { ms }) => sum + ms, 0) / 1000
  const isUsable =
    step.colours.length >= 3 &&
    step.colours.length <= coloursMax &&
    totalS > 0 &&
    totalS <= durationMaxS &&
    step.colours.every(({ ms }) => ms > 0) &&
    Number.isFinite(window.fromS)
  if (!isUsable) return cannotTell(0, '')
  const colours = step.colours.map(({ colour }) => readColour(colour))
  const inTime = record.filter(({ timeS, colours }) => {
    const at = timeS - window.fromS
    return at >= 0.15 && at <= totalS + 0.15 && colours.length === lightZones.length * 3
  })
  const segment = inTime[Math.floor(inTime.length / 2)]?.segment
  const frames = inTime.filter(
    (frame) => frame.segment === segment && front.every((zone) => meanColour(frame, [zone]) !== null),
  )
  if (frames.length < framesMin) return cannotTell(frames.length, 'hold_still')
  const timesS = frames.map(({ timeS }) => timeS - window.fromS)
  const nuisance = new Nuisance([
    timesS.map(() => 1),
    timesS,
    timesS.map((timeS) => timeS ** 2),
    frames.map(({ share }) => Math.log(Math.max(share, 1e-3))),
  ])
  const faces = frames.map((frame) => signalsOf(meanColour(frame, front)!))
  const signals = ([0, 1, 2] as const).map((j) =>
    nuisance.remove(Float64Array.from(faces, (face) => face[j])),
  )
  const compared: Compared = { timesS, nuisance, signals, colours, isSoft: soft }
  const order = colours.map((_, i) => i)
  const durationsMs = step.colours.map(({ ms }) => ms)
  const shown = { order, durationsMs }
  const fit = fitSequence(shown, compared)
  const random = createRandom(Math.round(totalS * 1000) + colours.length)
  const isOther = (other: readonly number[]) =>
    other.filter((index, i) => step.colours[index]!.colour === step.colours[i]!.colour).length <=
    colours.length / 2
  const others: number[] = []
  for (let tries = 0; others.length < othersCount && tries < 4 * othersCount; tries++) {
    const other = shuffle(order, random)
    if (!isOther(other)) continue
    others.push(fitSequence({ order: other, durationsMs: shuffle(durationsMs, random) }, compared).score)
  }
  if (others.length < othersCount) return cannotTell(frames.length, '')
  const chance = estimateChance(fit.score, others)
  const agreement = 1 - Math.exp((-2 * Math.max(0, fit.score)) / 3)
  const shares = computeCourse(durationsMs, soft)
  const contrastOf = (zones: readonly LightZone[]) =>
    measureContrast(zones, frames, compared, shown, shares, fit)
  const face = contrastOf(front)!
  const meanScreen =
    colours.reduce((sum, [r, g, b], i) => sum + ((r + g + b) / 3) * durationsMs[i]!, 0) / (totalS * 1000)
  const found = {
    frames: frames.length,
    chance,
    agreement,
    delayS: Math.round(fit.delayS * 1000) / 1000,
    contrast: face.value,
  }
  if (!(face.value > 0) || chance > bounds.chanceMax || agreement < bounds.agreementMin) {
    return {
      ...cannotTell(frames.length, 'less_light'),
      ...found,
    }
  }
  const relative = (zones: readonly LightZone[]) => {
    const zone = contrastOf(zones)
    return zone && { ...zone, value: zone.value / face.value, error: zone.error / face.value }
  }
  // Skin has about one colour all over, so its ambient light is seen; the screen's own light is what has a shape.
  const lightOf = (zones: readonly LightZone[]) => {
    const zone = contrastOf(zones)
    return zone && zone.value * measureAmbient(zones, frames, zone.value, meanScreen)
  }
  const faceLight = face.value * measureAmbient(front, frames, face.value, meanScreen)
  const sideLights = [lightOf(['rightSide']), lightOf(['leftSide'])].filter((light) => light !== null)
  const background = relative(['rightBackground', 'leftBackground'])
  const neck = relative(['neck'])
  const brows = relative(['brows'])
  const shape = {
    error: Math.max(face.error, background ? background.error * face.value : 0) / face.value,
    sides:
      sideLights.length === 0
        ? null
        : sideLights.reduce((sum, light) => sum + light, 0) / sideLights.length / faceLight,
    neck: neck?.value ?? null,
    background: background?.value ?? null,
    brows: brows?.value ?? null,
  }
  const all = { ...found, ...shape }
  if (face.value < bounds.contrastMin || shape.error > bounds.errorMax)
    return { ...cannotTell(frames.length, 'less_light'), ...all }
  const isEven =
    (shape.background ?? 0) > bounds.backgroundMax ||
    (shape.sides ?? 0) > bounds.sidesMax ||
    (shape.neck ?? 1) < bounds.neckMin ||
    (shape.brows ?? 1) > bounds.browsMax
  return isEven
    ? { status: 'not_performed', attackScore: 0.9, advice: '', ...all }
    : { status: 'performed', attackScore: 0, advice: '', ...all }
}
