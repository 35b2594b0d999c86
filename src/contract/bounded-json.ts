/** Parses JSON from callers. Its size is measured on the text, before it is parsed. */
import { AppError } from '../errors.ts'
import { findRemarkableNumbers, findTextEnd, type JsonNumber, restoreLongNumbers } from '../exact-json.ts'

/** Bytes of a payload or JSON body, without media. */
export const jsonBytesMax = 2 ** 20
/** Number of values, objects and lists included. */
const valuesMax = 10_000
/** Answers repeat metadata, so the nesting must stay within what can be serialised. */
const depthMax = 64

const quote = 0x22
const comma = 0x2c
const bracketOpen = 0x5b
/** Digits of a whole number. */
const digitsMax = 100
/** Whole numbers of 16 digits or more, of which most become a `bigint`: as many as metadata may have values. */
const longNumbersMax = 4000

interface JsonSize {
  /** An upper bound for the number of values. */
  values: number
  /** Nesting depth of objects and lists. */
  depth: number
}

/** Measures JSON without parsing it, and stops when a limit is exceeded. Invalid JSON is measured too. */
export function measureJson(json: string): JsonSize {
  let values = 1
  let depth = 0
  let depthSeen = 0
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at)
    if (code === quote) {
      at = findTextEnd(json, at)
      continue
    }
    at++
    // Digits and most of what else stands outside of texts.
    if (code > comma && code < bracketOpen) continue
    // `[` and `{`, `]` and `}` differ by one bit.
    const bracket = code | 0x20
    if (bracket === 0x7d) depth--
    else if (code === comma || bracket === 0x7b) {
      values++
      if (code !== comma) depth++
      if (depth > depthSeen) depthSeen = depth
      if (values > valuesMax || depth > depthMax) break
    }
  }
  return { values, depth: depthSeen }
}

/** @throws {AppError} `value_invalid` with the limit that is exceeded */
function refuseExcess(json: string): void {
  const { values, depth } = measureJson(json)
  if (depth > depthMax)
    throw new AppError('value_invalid', `The payload is nested too deeply: at most ${depthMax} levels`)
  if (values > valuesMax)
    throw new AppError('value_invalid', `The payload has too many values: at most ${valuesMax}`)
}

/** @throws {AppError} `value_invalid` for a number that cannot be kept, being beyond the range of doubles or of very many digits, and for very many long ones */
function refuseNumbers(json: string, numbers: readonly JsonNumber[]): void {
  if (numbers.filter(({ isWhole }) => isWhole).length > longNumbersMax)
    throw new AppError(
      'value_invalid',
      `The payload has more than ${longNumbersMax} numbers of 16 digits or more; send them as text`,
    )
  for (const { start, end, isWhole } of numbers) {
    const signs = json[start] === '-' ? 1 : 0
    const isKept = isWhole
      ? end - start - signs <= digitsMax
      : Number.isFinite(Number(json.slice(start, end)))
    if (!isKept)
      throw new AppError(
        'value_invalid',
        `A number has more than ${digitsMax} digits, or is too large; send it as text`,
      )
  }
}

/** How every JSON object begins. What begins otherwise is refused as no JSON, not for the brackets that it happens to have. */
const objectStart = /^\s*\{\s*["}]/

/**
 * Parses the text of a payload.
 * @param place details of the refusal of what is no JSON object
 * @throws {AppError} `body_too_large`; `structure_invalid` if it is not a JSON object; `value_invalid` if it has too many
 *   values, is nested too deeply, or holds a number that cannot be kept
 */
export function parseJsonObject(text: string, place?: Record<string, string>): Record<string, unknown> {
  const notObject = () =>
    new AppError('structure_invalid', 'Could not parse body as JSON object', place ? { details: place } : {})
  if (text.length > jsonBytesMax)
    throw new AppError('body_too_large', `The payload is longer than ${jsonBytesMax} bytes`)
  if (!objectStart.test(text)) throw notObject()
  refuseExcess(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw notObject()
  }
  const numbers = findRemarkableNumbers(text)
  refuseNumbers(text, numbers)
  return restoreLongNumbers(text, value, numbers) as Record<string, unknown>
}
