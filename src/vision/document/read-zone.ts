/** Reads the lines of one machine-readable zone, starting from a line of print that may be one of them. */
import { isOneRow } from '../../documents/mrz/formats.ts'
import type { MrzReading, Point, Quad } from '../../documents/reading.ts'
import type { Pyramid } from '../pyramid.ts'
import type { LineReader, LineReading } from './line-reader.ts'
import { readAgain } from './read-again.ts'
import { completeLines, readBeside } from './read-beside.ts'
import { lineLengths, linesMax, type ReadLine, readEitherWay, usualPitch } from './read-line.ts'
import { askSecond, type PlacedLines } from './second-opinion.ts'
import { alongAt, type LinePath, placeOn } from './strip.ts'
import { type RoughLine, type TracedLine, traceLine } from './trace-line.ts'

/** Every format of several lines has fillers; headlines in capital letters have none. */
const fillersMin = 2

const textOf = ({ characters }: LineReading): string => characters.map(({ symbol }) => symbol).join('')

/** Whether a line is a whole zone: those of driving licences have one row. */
const isWholeRow = ({ reading }: ReadLine): boolean =>
  reading.characters.length === lineLengths[0] && isOneRow(textOf(reading))

const isLineLength = (count: number): boolean => lineLengths.some((length) => Math.abs(length - count) <= 3)

/** Whether a zone has as many lines as the format of its longest line. */
function isComplete(lines: readonly ReadLine[]): boolean {
  const longest = Math.max(...lines.map(({ reading }) => reading.characters.length))
  if (lines.some(isWholeRow)) return true
  return lines.length >= (longest > lineLengths[0]! + 3 ? 2 : linesMax)
}

/** The corners of a line's print: where it begins and ends, at an offset across. */
function cornersOf({ plan, pitch: distance, cap, reading }: ReadLine, side: 1 | -1): [Point, Point] {
  const first = reading.characters[0]!.place
  const last = reading.characters.at(-1)!.place
  const place = (column: number, by: number) =>
    placeOn(plan.path, alongAt(plan, column) + by * distance, (side * cap) / 2)
  return [place(first, -0.5), place(last, 0.5)]
}

function placeZone(lines: readonly ReadLine[]): Quad {
  const [topLeft, topRight] = cornersOf(lines[0]!, -1)
  const [bottomLeft, bottomRight] = cornersOf(lines.at(-1)!, 1)
  return [topLeft, topRight, bottomRight, bottomLeft]
}

/** Without fillers before a line that is longer than any format's: no name and no number begins with one. */
function trim(characters: LineReading['characters']): LineReading['characters'] {
  const extra = characters.length - (lineLengths.findLast((length) => length <= characters.length) ?? 0)
  const leading = characters.findIndex(({ symbol }) => symbol !== '<')
  return extra > 0 && extra <= 3 && leading > 0 ? characters.slice(Math.min(extra, leading)) : characters
}

/** How many characters a line lacks or has too many at most, if those of the others tell its number. */
const missedMax = 3

/** How many characters each line of a zone has by the format that its lines fit best; `null` if it fits none. */
function countCharacters(counts: readonly number[]): (number | null)[] {
  const possible = counts.length === 2 ? lineLengths.slice(1) : lineLengths.slice(0, 1)
  const missed = (length: number) =>
    counts.reduce((sum, count) => sum + Math.min(missedMax + 1, Math.abs(count - length)), 0)
  const length = possible.reduce((best, other) => (missed(other) < missed(best) ? other : best))
  return counts.map((count) => (Math.abs(count - length) <= missedMax ? length : null))
}

/** A zone with its size, by which several are compared. */
export interface FoundZone {
  zone: MrzReading
  path: LinePath
  pitch: number
}

/** Least height of capital letters in pixels, and least number of characters, of a line that is read. */
const capMin = 4.5
const roomMin = 12

/**
 * Follows a line of print that may be one of a zone.
 * @returns `null` if it is too small or too short
 */
export function traceZoneLine(pyramid: Pyramid, rough: RoughLine): TracedLine | null {
  const traced = traceLine(pyramid, rough)
  if (!traced || traced.cap < capMin) return null
  return traced.to - traced.from > roomMin * usualPitch * traced.cap ? traced : null
}

/**
 * Reads the zone that a line of print may belong to.
 * @param second another network for zones that this one does not prove
 * @returns `null` if the line is no machine-readable one
 * @throws {AppError} `engine_unavailable`
 */
export async function readZone(
  read: LineReader,
  pyramid: Pyramid,
  traced: TracedLine,
  second?: LineReader,
): Promise<FoundZone | null> {
  const line = await readEitherWay(read, pyramid, traced)
  if (!line) return null
  const found = [line]
  for (const isGuessed of [false, true])
    for (const side of [1, -1] as const) {
      while (!isComplete(found)) {
        const next = await readBeside(read, pyramid, side === 1 ? found.at(-1)! : found[0]!, side, isGuessed)
        if (!next) break
        if (side === 1) found.push(next)
        else found.unshift(next)
      }
    }
  const lines = await completeLines(read, pyramid, found)
  if (!lines.some(({ reading }) => isLineLength(reading.characters.length))) return null
  const fillers = lines.flatMap(({ reading }) => reading.characters.filter(({ symbol }) => symbol === '<'))
  if (fillers.length < fillersMin && !lines.some(isWholeRow)) return null
  const { path } = line.plan
  const zone = { place: placeZone(lines), isMirrored: path.isMirrored }
  const counts = countCharacters(lines.map(({ reading }) => reading.characters.length))
  let settled: PlacedLines = []
  for (const [i, { plan, reading }] of lines.entries())
    settled = [...settled, trim(await readAgain(read, pyramid, plan, reading, counts[i]!))]
  const plans = lines.map(({ plan }) => plan)
  if (second) settled = (await askSecond(second, pyramid, plans, settled, zone)).map(trim)
  return {
    zone: {
      ...zone,
      lines: settled.map((line) => ({ characters: line.map(({ place: _, ...character }) => character) })),
    },
    path,
    pitch: line.pitch,
  }
}
