/** Parses JSON from callers. Its size is measured on the text, before it is parsed. */
import { AppError } from '../errors.ts'

/** Bytes of a payload or JSON body, without media. */
export const jsonBytesMax = 2 ** 20
/** Number of values, objects and lists included. */
const valuesMax = 10_000
/** Answers repeat metadata, so the nesting must stay within what can be serialised. */
const depthMax = 64

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const minus = 0x2d
const digit0 = 0x30
const digit9 = 0x39
const numberCharacters = '0123456789.eE+-'

interface JsonSize {
  /** An upper bound for the number of values. */
  values: number
  /** Nesting depth of objects and lists. */
  depth: number
}

/** Position after the string that starts at a quotation mark. */
function findTextEnd(json: string, at: number): number {
  let end = at + 1
  while (end < json.length) {
    const code = json.charCodeAt(end)
    if (code === quote) return end + 1
    end += code === backslash ? 2 : 1
  }
  return end
}

/** Position after the number that starts at a digit or a minus sign. */
function findNumberEnd(json: string, at: number): number {
  let end = at + 1
  while (end < json.length && numberCharacters.includes(json[end]!)) end++
  return end
}

/** Measures JSON without parsing it, and stops when a limit is exceeded. Invalid JSON is measured too. */
export function measureJson(json: string): JsonSize {
  let values = 1
  let depth = 0
  let depthSeen = 0
  for (let at = 0; at < json.length && values <= valuesMax && depth <= depthMax; ) {
    const code = json.charCodeAt(at)
    if (code === quote) {
      at = findTextEnd(json, at)
      continue
    }
    at++
    // `[` and `{`, `]` and `}` differ by one bit.
    const bracket = code | 0x20
    if (code === comma) values++
    else if (bracket === 0x7b) {
      values++
      depth++
      depthSeen = Math.max(depthSeen, depth)
    } else if (bracket === 0x7d) depth--
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

const isInexact = (number: string): boolean =>
  /[.eE]/.test(number) ? !Number.isFinite(Number(number)) : !Number.isSafeInteger(Number(number))

/**
 * Whether valid JSON holds a number that would change its value: an integer beyond 2^53, or one that overflows to infinity.
 * Rounding of decimals is accepted. Looks at each character once and copies no text, which may be a megabyte of escapes.
 */
function hasInexactNumber(json: string): boolean {
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at)
    if (code === quote) at = findTextEnd(json, at)
    else if (code === minus || (code >= digit0 && code <= digit9)) {
      const end = findNumberEnd(json, at)
      if (isInexact(json.slice(at, end))) return true
      at = end
    } else at++
  }
  return false
}

/** How every JSON object begins. What begins otherwise is refused as no JSON, not for the brackets that it happens to have. */
const objectStart = /^\s*\{\s*["}]/

/**
 * Parses the text of a payload.
 * @param place details of the refusal of what is no JSON object
 * @throws {AppError} `body_too_large`; `structure_invalid` if it is not a JSON object; `value_invalid` if it has too many
 *   values, is nested too deeply, or holds a number that cannot be represented exactly
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
  if (hasInexactNumber(text)) {
    throw new AppError('value_invalid', 'A number has too many digits; send it as text')
  }
  return value as Record<string, unknown>
}
