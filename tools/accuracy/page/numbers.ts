/** Formats figures. */
import type { Interval } from '../intervals.ts'

const none = '–'
/** With a non-breaking space, so that the sign stays on the line of its number. */
const sign = '\u00a0%'

/** A share in percent, with enough digits to distinguish it from 0 and 100 %. */
export function rateText(rate: number | null): string {
  if (rate === null) return none
  const percent = rate * 100
  const fromEnd = Math.min(percent, 100 - percent)
  const places = fromEnd === 0 ? 0 : fromEnd < 0.0995 ? 3 : fromEnd < 9.995 ? 2 : 1
  return `${percent.toFixed(places)}${sign}`
}

export const intervalText = (interval: Interval | null): string =>
  interval === null ? none : `${rateText(interval.low).replace(sign, '')} to ${rateText(interval.high)}`

/** A score with enough digits to distinguish it from 0 and 1, where scores are dense. */
export function scoreText(score: number | null): string {
  if (score === null) return none
  const fromEnd = Math.min(score, 1 - score)
  if (fromEnd < 1e-5) return score < 0.5 ? 'below 0.00001' : 'above 0.99999'
  return score.toFixed(Math.max(3, Math.ceil(-Math.log10(fromEnd)) + 1))
}

export const countText = (count: number): string => count.toLocaleString('en').replaceAll(',', ' ')

/** Log odds of a score, clamped to bounds that can be drawn. */
export const logOddsOf = (score: number): number => Math.max(-40, Math.min(40, Math.log(score / (1 - score))))
