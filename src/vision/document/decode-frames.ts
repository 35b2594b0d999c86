/**
 * From the frames of the line reader to characters. The characters of a zone have nearly equal distances, and none is missing between two
 * others: the places are those that follow each other regularly and have the most print, so that repeated symbols that run into each
 * other, and symbols that are hardly visible, keep their places.
 */
import type { CharacterChoice, CharacterReading } from '../../documents/reading.ts'
import { placeCharacters, settleCount } from './place-characters.ts'

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
export const othersMin = 0.002
export const othersMax = 4
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
  const choices: CharacterChoice[] = []
  for (let taken = 0; taken <= othersMax; taken++) {
    let best = -1
    for (let i = 0; i < blank; i++) if (sums[i]! >= 0 && (best < 0 || sums[i]! > sums[best]!)) best = i
    const probability = all > 0 ? (sums[best]! / all) * present : 0
    if (taken > 0 && probability < othersMin) break
    choices.push({ symbol: mrzSymbols[best]!, probability })
    sums[best] = -1
  }
  const [best, ...others] = choices
  return { ...best!, others, place }
}

/** Whether a filler is more probable at a place than any other symbol. */
function isFiller(chances: Float32Array, place: number): boolean {
  const at = Math.floor(place) * classes
  const symbols = chances.subarray(at, at + blank)
  return symbols.every((chance) => chance <= symbols[blank - 1]!)
}

/**
 * Reads characters from probabilities.
 * @param chances `[frames · 38]`
 * @param usualDistance of characters in frames; lines whose print shows another one, within limits, are read with that
 * @param count of characters, if it is known
 */
export function decodeChances(
  chances: Float32Array,
  usualDistance: number,
  count?: number,
): PlacedCharacter[] {
  const frames = chances.length / classes
  const presence = Float32Array.from({ length: frames }, (_, frame) => 1 - chances[frame * classes + blank]!)
  const seen = placeCharacters(presence, usualDistance)
  // No line of a zone begins with a filler: what looks like one is the edge of the document.
  const start = seen.places.findIndex((place) => !isFiller(chances, place))
  const begun = { ...seen, places: seen.places.slice(Math.max(0, start)) }
  const { places, distance } = count === undefined ? begun : settleCount(presence, begun, count)
  return places.map((place, i) => {
    // A character never takes frames of its neighbour, even where the print is narrow.
    const half = reach * distance
    const before = i > 0 ? (places[i - 1]! + place) / 2 : 0
    const after = i + 1 < places.length ? (places[i + 1]! + place) / 2 : frames
    const from = Math.max(0, Math.ceil(Math.max(before, place - half) - 0.5))
    const to = Math.min(frames, Math.max(from + 1, Math.floor(Math.min(after, place + half) + 0.5)))
    return readPlace(chances, place, Math.min(from, frames - 1), to)
  })
}

/**
 * Reads characters from the outputs of the network.
 * @param logits `[frames · 38]`
 */
export const decodeFrames = (logits: Float32Array, usualDistance: number): PlacedCharacter[] =>
  decodeChances(toProbabilities(logits), usualDistance)
