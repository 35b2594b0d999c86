/** From the frames of the line reader to characters: connectionist temporal classification, with the regular distances of the print. */
import type { CharacterChoice, CharacterReading } from '../../documents/reading.ts'

/** Symbols of a machine-readable zone in the order of the network's outputs; the last output is "none". */
export const mrzSymbols = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<'
const blank = mrzSymbols.length
const classes = blank + 1

/** A character with its place. */
export interface PlacedCharacter extends CharacterReading {
  /** Its middle, in frames; whole numbers are the beginnings of frames. */
  place: number
}

/** Other symbols are given down to this probability, and at most so many. */
const othersMin = 0.002
const othersMax = 4
/** Frames on each side of a character's middle that belong to it, in distances of characters. */
const reach = 0.4

/** Probabilities of each frame, `[frames · 38]`. */
export function toProbabilities(logits: Float32Array): Float32Array {
  const out = new Float32Array(logits.length)
  for (let at = 0; at < logits.length; at += classes) {
    let most = Number.NEGATIVE_INFINITY
    for (let i = 0; i < classes; i++) most = Math.max(most, logits[at + i]!)
    let sum = 0
    for (let i = 0; i < classes; i++) {
      const value = Math.exp(logits[at + i]! - most)
      out[at + i] = value
      sum += value
    }
    for (let i = 0; i < classes; i++) out[at + i] = out[at + i]! / sum
  }
  return out
}

/** Frames from `from` up to `to`, with the same symbol. */
interface Run {
  from: number
  to: number
  symbol: number
}

/** Runs of frames whose most probable output is the same symbol. */
function findRuns(chances: Float32Array): Run[] {
  const runs: Run[] = []
  let last = blank
  for (let frame = 0; frame * classes < chances.length; frame++) {
    let best = 0
    for (let i = 1; i < classes; i++)
      if (chances[frame * classes + i]! > chances[frame * classes + best]!) best = i
    if (best !== blank) {
      if (best === last) runs.at(-1)!.to = frame + 1
      else runs.push({ from: frame, to: frame + 1, symbol: best })
    }
    last = best
  }
  return runs
}

/** The middle of a run, weighted by the probability of any symbol. */
function middleOf(chances: Float32Array, { from, to }: Run): number {
  let [weights, sum] = [0, 0]
  for (let frame = from; frame < to; frame++) {
    const weight = 1 - chances[frame * classes + blank]!
    weights += weight
    sum += weight * (frame + 0.5)
  }
  return weights > 0 ? sum / weights : (from + to) / 2
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/**
 * The symbols that a place may hold.
 * @param from first frame, and `to` the one after the last
 */
function readPlace(chances: Float32Array, place: number, from: number, to: number): PlacedCharacter {
  const sums = new Float64Array(blank)
  let [all, present] = [0, 0]
  for (let frame = from; frame < to; frame++) {
    const none = chances[frame * classes + blank]!
    present = Math.max(present, 1 - none)
    all += 1 - none
    for (let i = 0; i < blank; i++) sums[i] = sums[i]! + chances[frame * classes + i]!
  }
  const choices: CharacterChoice[] = [...sums]
    .map((sum, i) => ({ symbol: mrzSymbols[i]!, probability: all > 0 ? (sum / all) * present : 0 }))
    .toSorted((a, b) => b.probability - a.probability)
  const [best, ...rest] = choices
  const others = rest.filter(({ probability }) => probability >= othersMin).slice(0, othersMax)
  return { ...best!, others, place }
}

/** A gap of so many distances has lost a character; closer ones are one character twice. */
const gapMin = 1.55
const doubleMax = 0.55
/** Distances on each side that a distance is compared with. */
const gapsBeside = 6

/** Fills gaps and removes doubles: the characters of a zone have equal distances. */
function regularise(chances: Float32Array, places: readonly number[], usual: number): number[] {
  const weightAt = (place: number) => 1 - chances[Math.floor(place) * classes + blank]!
  const gaps = places.slice(1).map((place, i) => place - places[i]!)
  const out: number[] = []
  for (const [i, place] of places.entries()) {
    const last = out.at(-1)
    // In perspective the distances change along the line.
    const near = gaps.slice(Math.max(0, i - gapsBeside), i + gapsBeside)
    const distance = near.length >= 5 ? median(near) : usual
    if (last === undefined) {
      out.push(place)
    } else if (place - last < doubleMax * distance) {
      if (weightAt(place) > weightAt(last)) out[out.length - 1] = place
    } else {
      const steps = Math.round((place - last) / distance)
      if (place - last > gapMin * distance && steps <= 3)
        for (let step = 1; step < steps; step++) out.push(last + ((place - last) * step) / steps)
      out.push(place)
    }
  }
  return out
}

/**
 * Reads characters from the outputs of the network.
 * @param logits `[frames · 38]`
 * @param usualDistance of characters in frames, for lines that are too short to measure it
 */
export function decodeFrames(logits: Float32Array, usualDistance: number): PlacedCharacter[] {
  const chances = toProbabilities(logits)
  const frames = chances.length / classes
  const places = findRuns(chances).map((run) => middleOf(chances, run))
  const gaps = places.slice(1).map((place, i) => place - places[i]!)
  const distance = gaps.length >= 5 ? median(gaps) : usualDistance
  const regular = regularise(chances, places, distance)
  return regular.map((place, i) => {
    // A character never takes frames of its neighbour, even where the print is narrow.
    const half = reach * distance
    const before = i > 0 ? (regular[i - 1]! + place) / 2 : 0
    const after = i + 1 < regular.length ? (regular[i + 1]! + place) / 2 : frames
    const from = Math.max(0, Math.ceil(Math.max(before, place - half) - 0.5))
    const to = Math.min(frames, Math.max(from + 1, Math.floor(Math.min(after, place + half) + 0.5)))
    return readPlace(chances, place, Math.min(from, frames - 1), to)
  })
}
