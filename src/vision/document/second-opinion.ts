/** Reads a zone that its check digits do not prove with a second network, and says which of both readings counts. */
import { type DecodedZone, decodeZone } from '../../documents/mrz/decode-zone.ts'
import type { CharacterChoice, MrzReading } from '../../documents/reading.ts'
import type { Pyramid } from '../pyramid.ts'
import { combineReadings, findNear } from './combine-readings.ts'
import type { PlacedCharacter } from './decode-frames.ts'
import type { LineReader } from './line-reader.ts'
import { pitch, type StripPlan } from './strip.ts'

/** Lines of a zone: characters with their places in columns of their plans. */
export type PlacedLines = readonly (readonly PlacedCharacter[])[]

/**
 * What is left of the probability of a character that the other network reads differently. Of letters so little is left that they are
 * doubtful in names too, where no check digit tells and a symbol without rivals is certain otherwise.
 */
const doubtShare = { letter: 0.15, other: 0.5 }

const isLetter = (symbol: string): boolean => /[A-Z<]/.test(symbol)

/** The symbols that check digits prove do not depend on it; names do. */
const doubt = (lines: PlacedLines, others: PlacedLines): PlacedLines =>
  lines.map((line, i) =>
    line.map((character) => {
      const other = findNear(others[i] ?? [], character.place, pitch / 2)?.symbol ?? '<'
      if (other === character.symbol) return character
      const share = isLetter(character.symbol) && isLetter(other) ? doubtShare.letter : doubtShare.other
      const reduce = <T extends CharacterChoice>(choice: T): T => ({
        ...choice,
        probability: choice.probability * share,
      })
      return { ...reduce(character), others: character.others.map(reduce) }
    }),
  )

const decode = (lines: PlacedLines, zone: Omit<MrzReading, 'lines'>): DecodedZone | null =>
  decodeZone({ ...zone, lines: lines.map((characters) => ({ characters })) })

const isProven = (lines: PlacedLines, zone: Omit<MrzReading, 'lines'>): boolean =>
  decode(lines, zone)?.isProven === true

/**
 * Reads the lines with a second network unless they are proven. The mean of both readings counts if it is proven, or else the
 * second reading if that is; where both differ, characters that no check digit covers are doubtful. What was read clearly is not
 * corrected: where check digits did not hold in the first reading, it is only doubtful then.
 * @param read the second network
 * @param plans of the lines
 * @throws {AppError} `engine_unavailable`
 */
export async function askSecond(
  read: LineReader,
  pyramid: Pyramid,
  plans: readonly StripPlan[],
  own: PlacedLines,
  zone: Omit<MrzReading, 'lines'>,
): Promise<PlacedLines> {
  const first = decode(own, zone)
  if (first?.isProven) return own
  const second: (readonly PlacedCharacter[])[] = []
  for (const [i, plan] of plans.entries()) second.push((await read(pyramid, plan)).settle(own[i]!.length))
  const both = own.map((line, i) => combineReadings([line, second[i]!], pitch))
  const better = [both, doubt(second, own)].find((lines) => isProven(lines, zone))
  if (!better) return own
  const isClear = first?.checks.some(({ state }) => state === 'invalid')
  return isClear ? doubt(own, second) : better
}
