/** Joins readings of one line: where they differ, the line is doubtful. */
import type { CharacterChoice } from '../../documents/reading.ts'
import { othersMax, othersMin, type PlacedCharacter } from './decode-frames.ts'

/** Places that differ by less than this are the same character, in distances of characters. */
const apartMax = 0.5

/** The character at a place; `null` if there is none. */
export function findNear(
  characters: readonly PlacedCharacter[],
  place: number,
  apart: number,
): PlacedCharacter | null {
  let nearest: PlacedCharacter | null = null
  for (const character of characters)
    if (Math.abs(character.place - place) < Math.abs((nearest?.place ?? Number.POSITIVE_INFINITY) - place))
      nearest = character
  return nearest && Math.abs(nearest.place - place) < apart ? nearest : null
}

/** The mean of several readings of one character; what a reading does not propose has no probability in it. */
function average(
  readings: readonly (PlacedCharacter | null)[],
  place: number,
  fallback: PlacedCharacter,
): PlacedCharacter {
  const sums = new Map<string, number>()
  for (const reading of readings) {
    if (!reading) continue
    for (const { symbol, probability } of [reading, ...reading.others])
      sums.set(symbol, (sums.get(symbol) ?? 0) + probability / readings.length)
  }
  const [best = fallback, ...rest] = [...sums]
    .map(([symbol, probability]): CharacterChoice => ({ symbol, probability }))
    .toSorted((a, b) => b.probability - a.probability)
  const others = rest.filter(({ probability }) => probability >= othersMin).slice(0, othersMax)
  return { symbol: best.symbol, probability: best.probability, others, place }
}

/**
 * Averages readings of one line, character by character.
 * @param readings with their places on one scale; the first one says which characters there are
 * @param distance of characters on that scale
 */
export function combineReadings(
  [first = [], ...others]: readonly (readonly PlacedCharacter[])[],
  distance: number,
): PlacedCharacter[] {
  return first.map((character) => {
    const same = others.map((reading) => findNear(reading, character.place, apartMax * distance))
    return average([character, ...same], character.place, character)
  })
}
