/** The light of a screen that shows one colour after another, over time. */
import { toLinear } from './light-record.ts'

export interface ScreenColour {
  /** `#rrggbb`, sRGB. */
  colour: string
  ms: number
}

/** Seconds between two values of the course. */
export const tickS = 0.02
/** A frame gathers light during its exposure, and a screen needs a moment to change. */
const blurS = 0.06
/** Duration of a faded change in seconds, ended by the next one. */
const fadeS = 0.3

/** Linear red, green and blue of a colour, 0…1; black if it is none. */
export function readColour(colour: string): readonly [number, number, number] {
  const [, hex] = /^#([0-9a-f]{6})$/i.exec(colour) ?? []
  const value = Number.parseInt(hex ?? '0', 16)
  const part = (shift: number) => toLinear(((value >> shift) & 255) / 255)
  return [part(16), part(8), part(0)]
}

/** Which colour is shown at each tick, and its share; the rest is the colour before it. */
export interface Course {
  colours: Int16Array
  shares: Float64Array
}

export function computeCourse(durationsMs: readonly number[], isSoft: boolean): Course {
  const ticks = Math.max(2, Math.ceil(durationsMs.reduce((sum, ms) => sum + ms, 0) / 1000 / tickS))
  const course = { colours: new Int16Array(ticks), shares: new Float64Array(ticks) }
  const fade = isSoft ? fadeS : blurS
  let [current, startS] = [0, 0]
  for (let tick = 0; tick < ticks; tick++) {
    const timeS = (tick + 0.5) * tickS
    while (current + 1 < durationsMs.length && startS + durationsMs[current]! / 1000 <= timeS)
      startS += durationsMs[current++]! / 1000
    course.colours[tick] = current
    course.shares[tick] = current === 0 ? 1 : Math.min(1, (timeS - startS) / fade)
  }
  return course
}
