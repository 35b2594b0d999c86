/**
 * Document numbers of more than nine characters: a filler stands in place of the check digit, and the number goes on in the
 * optional data, followed by its check digit and a filler (ICAO Doc 9303-5, 4.2.4, note j).
 */
import type { CheckPlace, MrzFormat, Range } from './formats.ts'

const numberCheckOf = ({ checks }: MrzFormat): CheckPlace =>
  checks.find(({ name }) => name === 'documentNumber')!

/** The rest of the number, with its check digit as last character. `null` if the number is not long. */
export function findLongNumber(format: MrzFormat, lines: readonly string[]): Range | null {
  const { at } = numberCheckOf(format)
  const optional = format.fields.find(({ name }) => name === 'optionalData')!
  const text = lines[optional.line]!.slice(optional.start, optional.end)
  const length = /^[^<]*/.exec(text)![0].length
  if (lines[at.line]![at.column] !== '<' || length < 2) return null
  return { line: optional.line, start: optional.start, end: optional.start + length }
}

/**
 * The check digit of a long number: over the number alone, as Doc 9303 has it, and with the filler inside of it, as some issuers
 * compute it.
 */
export function longNumberChecks(format: MrzFormat, tail: Range): CheckPlace[] {
  const { name, over, at } = numberCheckOf(format)
  const { line, start, end } = tail
  const rest = { line, start, end: end - 1 }
  const place = { name, at: { line, column: end - 1 } }
  const filler = { line: at.line, start: at.column, end: at.column + 1 }
  return [
    { ...place, over: [...over, rest] },
    { ...place, over: [...over, filler, rest] },
  ]
}
