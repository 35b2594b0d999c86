/** Brings the lines of a zone to the length of its format: readers miss and double characters in runs of fillers. */
import type { CharacterReading } from '../reading.ts'
import { missedFiller } from './choices.ts'
import type { MrzFormat } from './formats.ts'

type Line = readonly CharacterReading[]

/** Maximum number of fillers that a line may lack or have too many. */
const missedMax = 3
/** Maximum number of ways in which all lines together may fit. */
const waysMax = 40

/** The places behind each run of fillers. */
function runEnds(line: Line): number[] {
  return line.flatMap(({ symbol }, place) =>
    symbol === '<' && line[place + 1]?.symbol !== '<' ? [place + 1] : [],
  )
}

/** The ways in which a line has the length; empty if there are none. */
function fitLine(line: Line, length: number): Line[] {
  const missing = length - line.length
  if (missing === 0) return [line]
  if (Math.abs(missing) > missedMax) return []
  const ends = runEnds(line)
  if (missing > 0)
    return ends.map((end) => [
      ...line.slice(0, end),
      ...Array.from({ length: missing }, () => missedFiller),
      ...line.slice(end),
    ])
  return ends
    .filter((end) => line.slice(end + missing, end).every(({ symbol }) => symbol === '<'))
    .map((end) => [...line.slice(0, end + missing), ...line.slice(end)])
}

/** Lines of names end with fillers, where one can be added or removed. That it belongs there remains a doubt. */
function fitNames(line: Line, length: number): Line[] {
  const missing = length - line.length
  if (missing === 0) return [line]
  const isFillerAt = (place: number) => line.at(place)?.symbol === '<'
  if (Math.abs(missing) > missedMax || !isFillerAt(-1)) return []
  if (missing > 0) return [[...line, ...Array.from({ length: missing }, () => missedFiller)]]
  const isSpare = line.slice(length - 1).every(({ symbol }) => symbol === '<')
  return isSpare ? [[...line.slice(0, length - 1), missedFiller]] : []
}

interface FittedLines {
  /** Ways in which the lines may have the lengths of the format. Empty if they do not fit. */
  readonly ways: readonly Line[][]
  /** Whether characters were added or removed between others, so that only check digits tell that a way is right. */
  readonly isGuessed: boolean
}

/** All ways in which the lines of a zone fit its format: one if their lengths are right. */
export function fitLines(lines: readonly Line[], { lengths, fields }: MrzFormat): FittedLines {
  let ways: Line[][] = [[]]
  let isGuessed = false
  for (const [index, line] of lines.entries()) {
    const length = lengths[index]!
    const isNames = fields.some(
      ({ name, line: at, end }) => name === 'names' && at === index && end === length,
    )
    if (!isNames && line.length !== length) isGuessed = true
    const fitted = (isNames ? fitNames : fitLine)(line, length)
    ways = ways.flatMap((way) => fitted.map((variant) => [...way, variant]))
    if (ways.length > waysMax) return { ways: [], isGuessed }
  }
  return { ways, isGuessed }
}
