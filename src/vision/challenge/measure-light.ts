/** Whether a face was lit by the colours that a screen was told to show. */
import { type LightFrame, type LightRecord, type LightZone, lightZones } from './light-record.ts'
import { Nuisance } from './nuisance.ts'
import { finish, type Piecewise } from './pieces.ts'
import { computeCourse, readColour, type ScreenColour } from './screen-light.ts'
import {
  type Compared,
  delayStepS,
  delaysBetween,
  delayToS,
  fitSequence,
  measureChance,
} from './sequence-fit.ts'
import { meanColour, signalsOf, type Triple } from './zone-colours.ts'
import { framesMin, front, measureAmbient, measureContrast, measureRelief, skin } from './zone-contrast.ts'

export interface LightStep {
  colours: readonly ScreenColour[]
}

export interface LightFinding {
  status: 'performed' | 'not_performed' | 'cannot_tell'
  /** What helps if it cannot be told. */
  advice: '' | 'less_light' | 'hold_still'
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
  ears: number | null
  top: number | null
  neck: number | null
  background: number | null
  /**
   * How much the screen's share of the light differs between the parts of the face, as the deviation of its logarithm: nothing for a tint
   * that multiplies the picture, whatever its mask.
   */
  relief: number | null
  /** Light of the screen on the dark brows, relative to the face, in shares of what they reflect: 1 for light, more for a colour that is laid over. */
  brows: number | null
}

const coloursMax = 32
const durationMaxS = 30
/** The delay of most cameras. */
const usualDelayS = 0.15
/** Longest time from one frame to the next that they cover. */
const gapMaxS = 0.25
/** Least share of the step's time. */
const coveredMin = 0.8
/** What agrees better later than any camera is no answer. */
const lateToS = 1.5

/** Bounds, fitted on simulations of people of the fit set (`npm run accuracy -- challenge`). */
const bounds = {
  /** Largest chance of another sequence. */
  chanceMax: 0.002,
  /** Least share of the changes that the sequence explains. */
  agreementMin: 0.5,
  /** Contrasts below this are too small for a shape. */
  contrastMin: 0.012,
  /** Largest error of a zone's contrast relative to the face's. */
  errorMax: 0.25,
  sidesMax: 0.75,
  earsMax: 0.65,
  topMax: 0.85,
  backgroundMax: 0.7,
  neckMin: 0.12,
  reliefMin: 0.12,
  browsMax: 1.35,
} as const

const nothing = {
  chance: null,
  agreement: null,
  delayS: null,
  contrast: null,
  error: null,
  sides: null,
  ears: null,
  top: null,
  neck: null,
  background: null,
  relief: null,
  brows: null,
}

const cannotTell = (frames: number, advice: LightFinding['advice']): LightFinding => ({
  status: 'cannot_tell',
  advice,
  frames,
  ...nothing,
})

/** Frames of one segment that show the face while a step of some duration is shown. */
function chooseFrames(record: LightRecord, fromS: number, totalS: number): LightFrame[] {
  const inTime = record.filter(
    ({ timeS, colours }) =>
      timeS >= fromS && timeS <= fromS + totalS && colours.length === lightZones.length * 3,
  )
  const segment = inTime[Math.floor(inTime.length / 2)]?.segment
  return inTime.filter(
    (frame) => frame.segment === segment && front.every((zone) => meanColour(frame, [zone]) !== null),
  )
}

function compareFaces(
  frames: readonly LightFrame[],
  fromS: number,
  colours: readonly Triple[],
  isSoft: boolean,
): Compared {
  const timesS = frames.map(({ timeS }) => timeS - fromS)
  const nuisance = new Nuisance()
  for (const column of [
    timesS.map(() => 1),
    timesS,
    timesS.map((timeS) => timeS ** 2),
    frames.map(({ share }) => Math.log(Math.max(share, 1e-3))),
  ])
    nuisance.add(Float64Array.from(column))
  const faces = frames.map((frame) => signalsOf(meanColour(frame, front)!))
  const signals = ([0, 1, 2] as const).map((j) =>
    nuisance.remove(Float64Array.from(faces, (face) => face[j])),
  )
  return { timesS, nuisance, signals, colours, isSoft }
}

/** Whether frames show every colour, and most of the time: part of a sequence is part of others too. */
function isCovered(timesS: readonly number[], durationsMs: readonly number[], delayS: number): boolean {
  const totalS = durationsMs.reduce((sum, ms) => sum + ms, 0) / 1000
  let endS = delayS
  const hasAll = durationsMs.every((ms) => {
    const startS = endS
    endS += ms / 1000
    return timesS.some((timeS) => timeS >= startS && timeS < endS)
  })
  const coveredS = timesS
    .slice(1)
    .reduce((sum, timeS, i) => sum + Math.max(0, Math.min(timeS - timesS[i]!, gapMaxS)), 0)
  return hasAll && coveredS >= coveredMin * totalS
}

/**
 * Compares the colours of a face with those that the screen was told to show.
 * @param fromS when the page says that it showed the first one, in seconds of the clip; the camera's delay is found
 * @param soft whether the colours were faded
 */
export const measureLight = (...of: Parameters<typeof measureLightInPieces>): LightFinding =>
  finish(measureLightInPieces(...of))

/** As `measureLight`, in pieces of some milliseconds: together they take a tenth of a second. */
export function* measureLightInPieces(
  record: LightRecord,
  step: LightStep,
  fromS: number,
  soft: boolean,
): Piecewise<LightFinding> {
  const totalS = step.colours.reduce((sum, { ms }) => sum + ms, 0) / 1000
  const isUsable =
    step.colours.length >= 3 &&
    step.colours.length <= coloursMax &&
    totalS > 0 &&
    totalS <= durationMaxS &&
    step.colours.every(({ ms }) => ms > 0) &&
    Number.isFinite(fromS)
  if (!isUsable) return cannotTell(0, '')
  const colours = step.colours.map(({ colour }) => readColour(colour))
  const order = colours.map((_, i) => i)
  const durationsMs = step.colours.map(({ ms }) => ms)
  const shown = { order, durationsMs }
  const framesFrom = (delayS: number) => chooseFrames(record, fromS + delayS, totalS)
  const early = framesFrom(usualDelayS)
  if (early.length < framesMin) return cannotTell(early.length, 'hold_still')
  const { delayS } = fitSequence(shown, compareFaces(early, fromS, colours, soft))
  // All of the step, as late as the camera shows it.
  const frames = framesFrom(delayS)
  if (frames.length < framesMin) return cannotTell(frames.length, 'hold_still')
  const compared = compareFaces(frames, fromS, colours, soft)
  const fit = fitSequence(shown, compared)
  if (!isCovered(compared.timesS, durationsMs, fit.delayS)) return cannotTell(frames.length, 'hold_still')
  const chance = yield* measureChance(shown, fit, compared)
  if (chance === null) return cannotTell(frames.length, '')
  const agreement = 1 - Math.exp((-2 * Math.max(0, fit.score)) / 3)
  const course = computeCourse(durationsMs, soft)
  const contrastOf = (zones: readonly LightZone[]) =>
    measureContrast(zones, frames, compared, shown, course, fit)
  const face = contrastOf(front)
  // Skin that is white in the picture shows no light.
  if (!face) return cannotTell(frames.length, 'less_light')
  const meanScreen =
    colours.reduce((sum, [r, g, b], i) => sum + ((r + g + b) / 3) * durationsMs[i]!, 0) / (totalS * 1000)
  const found = {
    frames: frames.length,
    chance,
    agreement,
    delayS: Math.round(fit.delayS * 1000) / 1000,
    contrast: face.value,
  }
  const isLate = () =>
    fitSequence(shown, compared, delaysBetween(delayToS + delayStepS, lateToS)).score > fit.score
  if (!(face.value > 0) || chance > bounds.chanceMax || agreement < bounds.agreementMin || isLate())
    return { ...cannotTell(frames.length, 'less_light'), ...found }
  const relative = (zones: readonly LightZone[]) => {
    const zone = contrastOf(zones)
    return zone && zone.error < bounds.errorMax * face.value
      ? { value: zone.value / face.value, error: zone.error / face.value }
      : null
  }
  const shareOf = (zones: readonly LightZone[]) => relative(zones)?.value ?? null
  // Skin has about one colour all over, so its ambient light is seen; the screen's own light is what has a shape.
  const lightOf = (zones: readonly LightZone[]) => {
    const zone = contrastOf(zones)
    return zone && zone.value * measureAmbient(zones, frames, zone.value, meanScreen)
  }
  const faceLight = face.value * measureAmbient(front, frames, face.value, meanScreen)
  const sideLights = [lightOf(['rightSide']), lightOf(['leftSide'])].filter((light) => light !== null)
  const relief = measureRelief(skin.map((zone) => relative([zone])))
  const shape = {
    error: face.error / face.value,
    sides:
      sideLights.length === 0
        ? null
        : sideLights.reduce((sum, light) => sum + light, 0) / sideLights.length / faceLight,
    ears: shareOf(['rightEar', 'leftEar']),
    top: shareOf(['top']),
    neck: shareOf(['neck']),
    background: shareOf(['rightBackground', 'leftBackground']),
    relief: relief?.value ?? null,
    brows: shareOf(['brows']),
  }
  const all = { ...found, ...shape }
  // What is not measured is not taken as that of a head.
  const isShapeSeen =
    shape.sides !== null &&
    relief !== null &&
    shape.brows !== null &&
    (shape.background ?? shape.neck) !== null
  if (face.value < bounds.contrastMin || shape.error > bounds.errorMax || !isShapeSeen)
    return { ...cannotTell(frames.length, 'less_light'), ...all }
  const isEven =
    (shape.background ?? 0) > bounds.backgroundMax ||
    (shape.sides ?? 0) > bounds.sidesMax ||
    (shape.ears ?? 0) > bounds.earsMax ||
    (shape.top ?? 0) > bounds.topMax ||
    (shape.neck ?? 1) < bounds.neckMin ||
    (relief?.most ?? 0) < bounds.reliefMin ||
    (shape.brows ?? Infinity) > bounds.browsMax
  if (isEven) return { status: 'not_performed', advice: '', ...all }
  return (relief?.least ?? 0) < bounds.reliefMin
    ? { ...cannotTell(frames.length, 'less_light'), ...all }
    : { status: 'performed', advice: '', ...all }
}
