import { writeExactJson } from '../exact-json.ts'

/** A JSON value. Numbers beyond 2^53 are of type `bigint`. */
export type Json =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }

/** Replaces line breaks and indentation by single spaces. Strings contain no raw line breaks, so they stay unchanged. */
const writeOnOneLine = (value: Json): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : writeExactJson(value, 1).replace(/,\n */g, ', ').replace(/\n */g, '')

/** Weight of a value that is written at once, about a millisecond of work. */
const pieceWeightMax = 50_000
/** Weight of a value in addition to its characters. */
const valueWeight = 10
/** Weight of a number beyond 2^53, which the platform does not write. */
const longWeight = 100
/** Deeper values are split, since their indentation would make the intermediate text many times longer. */
const depthMax = 8

/** Subtracts the weight of a value; below zero if it is too heavy or nested too deeply. */
function weigh(value: Json | undefined, left: number, depth: number): number {
  if (typeof value === 'string') return left - value.length
  if (typeof value === 'bigint') return left - longWeight
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
 * Writes JSON with a space after each comma and colon, and keys in insertion order, since existing clients search the text
 * with these spaces. Each piece takes little time.
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

/** The same as one string. */
export const spacedJson = (value: Json): string => [...spacedPieces(value)].join('')
