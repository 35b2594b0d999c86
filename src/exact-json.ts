/**
 * JSON whose whole numbers keep their digits: those that a number cannot hold are read as `bigint`, and written as they came. Texts
 * and values without such numbers take the way of the platform.
 */

const quote = 0x22
const backslash = 0x5c
const minus = 0x2d
const digit0 = 0x30
const digit9 = 0x39
const point = 0x2e
const plus = 0x2b
const upperE = 0x45
const lowerE = 0x65
/** The smallest whole number that is not exact has as many digits; with more, none is. */
const longDigits = 16
/** What a text has that holds a number worth a look: as many digits, or an exponent beyond the range of doubles. */
const remarkable = /\d{16}|[eE]\+?\d{3}/

const isDigit = (code: number): boolean => code >= digit0 && code <= digit9

/** Position after the string that starts at a quotation mark. */
export function findTextEnd(json: string, at: number): number {
  let end = at + 1
  while (end < json.length) {
    const code = json.charCodeAt(end)
    if (code === quote) return end + 1
    end += code === backslash ? 2 : 1
  }
  return end
}

/** A number in JSON, from `start` to `end`. */
export interface JsonNumber {
  start: number
  end: number
  isWhole: boolean
}

/** The number that starts at a digit or a minus sign. */
function readNumber(json: string, start: number): JsonNumber {
  let end = start + 1
  let isWhole = true
  for (; end < json.length; end++) {
    const code = json.charCodeAt(end)
    if (isDigit(code)) continue
    if (code !== point && code !== lowerE && code !== upperE && code !== plus && code !== minus) break
    isWhole = false
  }
  return { start, end, isWhole }
}

/**
 * The numbers in valid JSON that a double may not hold: long ones and those with an exponent. Looks at each character once and copies
 * no text, which may be a megabyte of escapes.
 */
export function findRemarkableNumbers(json: string): JsonNumber[] {
  const found: JsonNumber[] = []
  if (!remarkable.test(json)) return found
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at)
    if (code === quote) at = findTextEnd(json, at)
    else if (code === minus || isDigit(code)) {
      const number = readNumber(json, at)
      at = number.end
      if (!number.isWhole || at - number.start >= longDigits) found.push(number)
    } else at++
  }
  return found
}

/** Valid JSON with texts instead of whole numbers beyond 2^53: the mark and the digits; `null` if it has none. */
function markLongNumbers(json: string, numbers: readonly JsonNumber[], mark: string): string | null {
  const pieces: string[] = []
  let copied = 0
  for (const { start, end, isWhole } of numbers) {
    const number = json.slice(start, end)
    if (!isWhole || (end - start <= longDigits + 1 && Number.isSafeInteger(Number(number)))) continue
    pieces.push(json.slice(copied, start), `"${mark}${number}"`)
    copied = end
  }
  return copied === 0 ? null : pieces.join('') + json.slice(copied)
}

/** Nobody can guess it, so no text of a caller begins with it. Pages without TLS have no `randomUUID`. */
const makeMark = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** Puts numbers in the place of marked texts. */
function replaceMarked(value: unknown, mark: string): unknown {
  const root: Record<string, unknown> = { value }
  const open = [root]
  for (let owner = open.pop(); owner; owner = open.pop())
    for (const key of Object.keys(owner)) {
      const member = owner[key]
      if (typeof member === 'string') {
        if (member.startsWith(mark)) owner[key] = BigInt(member.slice(mark.length))
      } else if (typeof member === 'object' && member !== null) open.push(member as Record<string, unknown>)
    }
  return root.value
}

/**
 * Gives long numbers their digits again.
 * @param value what `JSON.parse` made of the text
 * @param numbers what `findRemarkableNumbers` found in it
 */
export function restoreLongNumbers(json: string, value: unknown, numbers: readonly JsonNumber[]): unknown {
  if (numbers.length === 0) return value
  const mark = makeMark()
  const marked = markLongNumbers(json, numbers, mark)
  if (marked === null) return value
  return replaceMarked(JSON.parse(marked), mark)
}

/** @throws {SyntaxError} if the text is no JSON */
export function parseExactJson(json: string): unknown {
  const value: unknown = JSON.parse(json)
  return restoreLongNumbers(json, value, findRemarkableNumbers(json))
}

/** @param space spaces per level, on lines of their own; default: all on one line */
export function writeExactJson(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, null, space)
  } catch {
    // It has long numbers, which the platform refuses to write. Anything else that it refuses fails here again.
    const mark = makeMark()
    const mask = (_: string, member: unknown) => (typeof member === 'bigint' ? `${mark}${member}` : member)
    return JSON.stringify(value, mask, space).replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
  }
}
