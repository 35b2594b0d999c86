/** Check digits of ICAO Doc 9303-3, 4.9. */

const weights = [7, 3, 1] as const

/** The weight of a character by its place among those that the check digit covers. */
export const weightAt = (place: number): number => weights[place % 3]!

/** The value of a character: digits are themselves, letters are 10 to 35, and the filler is 0. `null` for others. */
export function characterValue(symbol: string): number | null {
  if (symbol === '<') return 0
  if (/^[0-9]$/.test(symbol)) return Number(symbol)
  return /^[A-Z]$/.test(symbol) ? symbol.charCodeAt(0) - 55 : null
}

/**
 * The check digit of a text; `null` if it contains a character that no zone has.
 * @example
 * ```ts
 * import { checkDigit } from './check-digit.ts'
 *
 * checkDigit('520727') // → 3
 * checkDigit('AB2134<<<') // → 5
 * ```
 */
export function checkDigit(text: string): number | null {
  let sum = 0
  for (const [place, symbol] of [...text].entries()) {
    const value = characterValue(symbol)
    if (value === null) return null
    sum += value * weightAt(place)
  }
  return sum % 10
}
