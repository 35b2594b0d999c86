/** The symbols that a character of a zone may be. */
import type { CharacterChoice, CharacterReading } from '../reading.ts'

/**
 * Letters and digits that look alike in OCR-B. A reader that knows no positions takes one for the other, so where the format has
 * only digits, an `O` is a zero.
 */
const digitOf: Readonly<Record<string, string>> = {
  O: '0',
  Q: '0',
  D: '0',
  I: '1',
  L: '1',
  Z: '2',
  S: '5',
  G: '6',
  B: '8',
}
const letterOf: Readonly<Record<string, string>> = {
  '0': 'O',
  '1': 'I',
  '2': 'Z',
  '5': 'S',
  '6': 'G',
  '8': 'B',
}

/** The share of an excluded symbol's probability that goes to the symbol it looks like. */
const lookalikeShare = 0.9

/** Less probable symbols are left out. */
const probabilityMin = 0.002

/** A filler in place of a character that the reader missed. It may have missed a letter somewhere else. */
export const missedFiller: CharacterReading = { symbol: '<', probability: 0.1, others: [] }

const allOf = ({ symbol, probability, others }: CharacterReading): CharacterChoice[] => [
  { symbol, probability },
  ...others,
]

/**
 * The symbols of an alphabet that a character may be, the most probable first; empty if it is none of them. A symbol that the
 * format excludes here gives way to the one it looks like only where a check digit covers the character.
 */
export function listChoices(
  reading: CharacterReading,
  alphabet: string,
  isCovered: boolean,
): CharacterChoice[] {
  const probabilities = new Map<string, number>()
  const add = (symbol: string, probability: number) =>
    probabilities.set(symbol, (probabilities.get(symbol) ?? 0) + probability)
  for (const { symbol, probability } of allOf(reading)) {
    if (alphabet.includes(symbol)) add(symbol, probability)
    else if (isCovered) {
      const alike = [digitOf[symbol], letterOf[symbol]].find((other) => other && alphabet.includes(other))
      if (alike) add(alike, probability * lookalikeShare)
    }
  }
  return [...probabilities]
    .map(([symbol, probability]) => ({ symbol, probability: Math.min(1, probability) }))
    .filter(({ probability }) => probability >= probabilityMin)
    .sort((a, b) => b.probability - a.probability)
}

/** How sure a character is that no check digit covers: the format's own symbols share its probability. */
export function judgeCertainty(choices: readonly CharacterChoice[]): number {
  const [best] = choices
  if (!best) return 0
  const possible = choices.reduce((sum, { probability }) => sum + probability, 0)
  // Where the reader hardly saw a symbol that the format allows, the best of them is a guess.
  return (best.probability / possible) * Math.min(1, possible / 0.2)
}
