/** Reads a zone that its check digits do not prove with a second network, and says which of both readings counts. */
import { decodeZone } from '../../documents/mrz/decode-zone.ts'
import type { MrzReading } from '../../documents/reading.ts'
import type { Pyramid } from '../pyramid.ts'
import { combineReadings, findNear } from './combine-readings.ts'
import type { PlacedCharacter } from './decode-frames.ts'
import type { LineReader } from './line-reader.ts'
import { pitch, type StripPlan } from './strip.ts'

/** Lines of a zone: characters with their places in columns of their plans. */
export type PlacedLines = readonly (readonly PlacedCharacter[])[]

/** What is left of the probability of a character that the other network reads differently. */
const doubtShare = 0.5

/** The symbols that check digits prove do not depend on it; names do. */
const doubt = (lines: PlacedLines, others: PlacedLines): PlacedLines =>
  lines.map((line, i) =>
    line.map((character) => {
      const other = findNear(others[i] ?? [], character.place, pitch / 2)
      return other?.symbol === character.symbol
        ? character
        : { ...character, probability: character.probability * doubtShare }
    }),
  )

const isProven = (lines: PlacedLines, zone: Omit<MrzReading, 'lines'>): boolean =>
  decodeZone({ ...zone, lines: lines.map((characters) => ({ characters })) })?.isProven === true

/**
 * Reads the lines with a second network unless they are proven. The mean of both readings counts if it is proven, or else the
 * second reading if that is; where both differ, characters that no check digit covers are doubtful.
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
  if (isProven(own, zone)) return own
  const second: (readonly PlacedCharacter[])[] = []
  for (const [i, plan] of plans.entries()) second.push((await read(pyramid, plan)).settle(own[i]!.length))
  const both = own.map((line, i) => combineReadings([line, second[i]!], pitch))
  if (isProven(both, zone)) return both
  const doubted = doubt(second, own)
  return isProven(doubted, zone) ? doubted : own
}
