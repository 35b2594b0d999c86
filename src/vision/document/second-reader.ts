/** Reads lines of machine-readable zones with the network for printed text: slower, and trained on other pictures. */
import type { Engine, ModelId } from '../../inference/engine.ts'
import type { Pyramid } from '../pyramid.ts'
import { mrzSymbols } from './decode-frames.ts'
import { type LineReader, toReading } from './line-reader.ts'
import {
  type LineChances,
  lineHeight,
  recogniseStrip,
  stepWidth,
  widthMax,
} from './page-text/text-recogniser.ts'
import { capHeight, pitch, type StripPlan, sampleStrip, varyPlan } from './strip.ts'

/** Width of a character and height of capital letters in the strip of this network: as in text of its training. */
const pitchWanted = 28
const capWanted = 30
const zoom = pitchWanted / pitch
const rowZoom = capWanted / capHeight
const classes = mrzSymbols.length + 1

/** How the network writes fillers. */
const fillers = '<‹〈＜'

/** The symbol of a zone that a character of the network stands for; -1 if none. */
function symbolOf(codePoint: number): number {
  const text = String.fromCodePoint(codePoint)
  return fillers.includes(text) ? mrzSymbols.indexOf('<') : mrzSymbols.indexOf(text.toUpperCase())
}

/** Probabilities of the symbols of a zone, `[steps · 38]`; what is none of them counts as none. */
function toSymbols({ probabilities, characters }: LineChances): Float32Array {
  const symbols = Int16Array.from(characters, symbolOf)
  const known = [...symbols.keys()].filter((i) => symbols[i]! >= 0)
  const steps = probabilities.length / (characters.length + 1)
  const chances = new Float32Array(steps * classes)
  for (let step = 0; step < steps; step++) {
    let sum = 0
    for (const i of known) {
      const chance = probabilities[step * (characters.length + 1) + i + 1]!
      const at = step * classes + symbols[i]!
      chances[at] = chances[at]! + chance
      sum += chance
    }
    chances[step * classes + classes - 1] = Math.max(0, 1 - sum)
  }
  return chances
}

/** The strip of this network for a line. */
function planFor(plan: StripPlan): StripPlan {
  const { shifts, ...wide } = varyPlan(plan, zoom, { columns: 0, rows: 0 })
  return {
    ...wide,
    width: Math.min(widthMax, wide.width),
    rowStep: plan.rowStep / rowZoom,
    ...(shifts && { shifts: shifts.map((rows) => (rows * rowZoom) / zoom) }),
  }
}

/**
 * Opens the reader on an engine that has the network for printed text, `ppocr-v4-rec`. Places are those in the plan given.
 */
export const openSecondReader =
  (engine: Engine, model: ModelId): LineReader =>
  async (pyramid: Pyramid, plan: StripPlan) => {
    const wide = planFor(plan)
    const grey = sampleStrip(pyramid, wide, lineHeight)
    const data = new Float32Array(3 * grey.length)
    for (let plane = 0; plane < 3; plane++) data.set(grey, plane * grey.length)
    const chances = toSymbols(await recogniseStrip(engine, model, data, wide.width))
    return toReading(chances, stepWidth / zoom)
  }
