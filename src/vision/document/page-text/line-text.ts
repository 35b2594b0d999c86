/** Text from recognised characters: spaces, columns, forms of characters. */
import type { TextLineReading } from '../../../documents/reading.ts'
import type { DecodedCharacter } from './ctc.ts'
import { boxCorners, type RotatedBox, sliceBox } from './rotated-box.ts'
import { lineConfidence, type RecognisedLine } from './text-recogniser.ts'

/** Steps between two characters from which on they belong to different columns: one and a half times the height of the line. */
const columnSteps = 12

/** Full-width and other forms of the same character as the usual one. */
const toUsualForm = (text: string): string =>
  text.normalize('NFKC').replaceAll(/[‐-―]/gu, '-').replaceAll(/[‘’ʼ]/gu, "'")

const isSpace = ({ symbol }: DecodedCharacter) => symbol.trim() === ''

/** Splits a line where it has a wide gap: the detector joins columns that stand close together. */
function splitColumns(characters: readonly DecodedCharacter[]): DecodedCharacter[][] {
  const columns: DecodedCharacter[][] = []
  let last: DecodedCharacter | null = null
  for (const character of characters) {
    if (last && isSpace(character)) {
      columns.at(-1)!.push(character)
      continue
    }
    if (isSpace(character)) continue
    if (!last || character.step - last.step > columnSteps) columns.push([])
    columns.at(-1)!.push(character)
    last = character
  }
  return columns
}

/** @returns the columns of a line from left to right; those without text are dropped */
export function toLineReadings(box: RotatedBox, { characters, steps }: RecognisedLine): TextLineReading[] {
  const columns = splitColumns(characters)
  return columns.flatMap((column, i) => {
    const text = toUsualForm(column.map(({ symbol }) => symbol).join('')).trim()
    if (text === '') return []
    // A column reaches half way to the next one.
    const before = columns[i - 1]?.findLast((item) => !isSpace(item))
    const after = columns[i + 1]?.[0]
    const last = column.findLast((item) => !isSpace(item))!
    const from = before ? (before.step + column[0]!.step + 1) / 2 / steps : 0
    const to = after ? (last.step + after.step + 1) / 2 / steps : 1
    const place = boxCorners(columns.length === 1 ? box : sliceBox(box, from, to))
    return [{ text, confidence: lineConfidence(column.filter((item) => !isSpace(item))), place }]
  })
}
