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

/** Which colour is shown at each tick, by its share: `[ticks, colours]`. */
export function computeCourse(durationsMs: readonly number[], isSoft: boolean): Float64Array[] {
  const count = durationsMs.length
  const ticks = Math.ceil(durationsMs.reduce((sum, ms) => sum + ms, 0) / 1000 / tickS)
  const starts: number[] = []
  durationsMs.reduce((start, ms) => {
    starts.push(start)
    return start + ms / 1000
  }, 0)
  const fade = isSoft ? fadeS : blurS
  return Array.from({ length: ticks }, (_, tick) => {
    const shares = new Float64Array(count)
    const timeS = (tick + 0.5) * tickS
    let current = 0
    while (current + 1 < count && starts[current + 1]! <= timeS) current++
    const progress = current === 0 ? 1 : Math.min(1, (timeS - starts[current]!) / fade)
    shares[current] = progress
    if (current > 0) shares[current - 1] = 1 - progress
    return shares
  })
}
