/** Formats numbers for the tables. */
import type { Rate } from './rate.ts'

/** A share in per cent, with two significant digits. */
export function share(value: number): string {
  const percent = value * 100
  if (percent === 0 || percent === 100) return `${percent} %`
  if (percent > 90) return `${percent.toFixed(2)} %`
  return `${percent.toFixed(percent >= 10 ? 0 : percent >= 1 ? 1 : 2)} %`
}

/** Counts, with the rate and the upper end of its interval, if any, in brackets. */
export function formatRate(rate: Rate | null): string {
  if (rate === null || rate.of === 0) return '—'
  const { errors, of, high } = rate
  const brackets = [
    ...(errors === 0 ? [] : [share(errors / of)]),
    ...(high === null || errors === of ? [] : [`at most ${share(high)}`]),
  ]
  return `${errors} of ${number(of)}${brackets.length > 0 ? ` (${brackets.join(', ')})` : ''}`
}

export const ms = (value: number): string =>
  value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(value < 10 ? 1 : 0)} ms`

/** Groups thousands from 10 000 on. */
export const number = (value: number): string =>
  value < 10_000 ? String(value) : String(value).replace(/\B(?=(\d{3})+$)/g, ' ')
