/**
 * JSON whose whole numbers keep their digits: those that a number cannot hold are read as `bigint`, and written as they came. Texts
 * and values without such numbers take the way of the platform.
 */

const quote = 0x22
const backslash = 0x5c
const minus = 0x2d
const digit0 = 0x30
const digit9 = 0x39
const otherNumberCharacters: ReadonlySet<number> = new Set([...'.eE+-'].map((sign) => sign.charCodeAt(0)))
/** The smallest number that is not exact has as many digits. Those behind a point are rounded, as by any reader. */
const longDigits = /(?<![.\d])\d{16}/

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

/** Position after the number that starts at a digit or a minus sign. */
function findNumberEnd(json: string, at: number): number {
  let end = at + 1
  while (end < json.length) {
    const code = json.charCodeAt(end)
    if (!isDigit(code) && !otherNumberCharacters.has(code)) break
    end++
  }
  return end
}

/** The places of the numbers in valid JSON. Looks at each character once and copies no text, which may be a megabyte of escapes. */
export function* findNumbers(json: string): Generator<[start: number, end: number]> {
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at)
    if (code === quote) at = findTextEnd(json, at)
    else if (code === minus || isDigit(code)) {
      const end = findNumberEnd(json, at)
      yield [at, end]
      at = end
    } else at++
  }
}

/** Whether a number of JSON is whole and beyond 2^53. */
const isLong = (number: string): boolean => /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number))

/** Valid JSON with texts instead of long numbers: the mark and the digits; `null` if it has none. */
function markLongNumbers(json: string, mark: string): string | null {
  const pieces: string[] = []
  let copied = 0
  for (const [start, end] of findNumbers(json)) {
    const number = json.slice(start, end)
    if (!isLong(number)) continue
    pieces.push(json.slice(copied, start), `"${mark}${number}"`)
    copied = end
  }
  return copied === 0 ? null : pieces.join('') + json.slice(copied)
}

/**
 * Gives long numbers their digits again.
 * @param value what `JSON.parse` made of the text
 */
export function restoreLongNumbers(json: string, value: unknown): unknown {
  if (!longDigits.test(json)) return value
  // Nobody can guess it, so no text of a caller begins with it.
  const mark = crypto.randomUUID()
  const marked = markLongNumbers(json, mark)
  if (marked === null) return value
  return JSON.parse(marked, (_, member: unknown) =>
    typeof member === 'string' && member.startsWith(mark) ? BigInt(member.slice(mark.length)) : member,
  )
}

/** @throws {SyntaxError} if the text is no JSON */
export const parseExactJson = (json: string): unknown => restoreLongNumbers(json, JSON.parse(json))

/** @param space spaces per level, on lines of their own; default: all on one line */
export function writeExactJson(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, null, space)
  } catch {
    // It has long numbers, which the platform refuses to write. Anything else that it refuses fails here again.
    const mark = crypto.randomUUID()
    const mask = (_: string, member: unknown) => (typeof member === 'bigint' ? `${mark}${member}` : member)
    return JSON.stringify(value, mask, space).replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
  }
}
