/** A value that JSON can hold. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }

/** Lines and their indentation become what they separate; a text holds no line end as it is. */
const writeOnOneLine = (value: Json): string =>
  JSON.stringify(value, null, 1).replace(/,\n */g, ', ').replace(/\n */g, '')

/** Values and characters that are written in one go: a millisecond of work. */
const pieceWeightMax = 50_000
/** What a value costs beside its characters. */
const valueWeight = 10
/** What is nested deeply would pass through a text many times as long. */
const depthMax = 8

/** What is left of a weight after a value; below zero when it is too much, or too deep. */
function weigh(value: Json | undefined, left: number, depth: number): number {
  if (typeof value === 'string') return left - value.length
  if (value === null || typeof value !== 'object') return left - valueWeight
  if (depth === 0) return -1
  let rest = left - valueWeight
  for (const member of Object.values(value)) {
    rest = weigh(member, rest - valueWeight, depth - 1)
    if (rest < 0) break
  }
  return rest
}

/**
 * JSON with a space after each comma and colon and the keys in the order they were set. Clients in the field pick values
 * out of the text by these spaces. Each piece is little work.
 */
export function* spacedPieces(value: Json): Generator<string> {
  const isWhole = value === null || typeof value !== 'object' || weigh(value, pieceWeightMax, depthMax) >= 0
  if (isWhole) {
    yield writeOnOneLine(value)
    return
  }
  const isList = Array.isArray(value)
  let between = isList ? '[' : '{'
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue
    yield isList ? between : `${between}${JSON.stringify(key)}: `
    yield* spacedPieces(member)
    between = ', '
  }
  yield isList ? ']' : '}'
}

/** The same as one text. */
export const spacedJson = (value: Json): string => [...spacedPieces(value)].join('')
