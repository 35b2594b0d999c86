/** 95 % intervals of error rates. */

export interface Interval {
  low: number
  high: number
}

const z = 1.959964

/** Wilson's interval of a share: also valid for few trials, and for shares of 0 and 1. `null` without trials. */
export function wilson(rate: number, trials: number): Interval | null {
  if (trials === 0) return null
  const weight = z ** 2 / trials
  const middle = (rate + weight / 2) / (1 + weight)
  const half = (z / (1 + weight)) * Math.sqrt((rate * (1 - rate)) / trials + weight / (4 * trials))
  return { low: Math.max(0, Math.min(rate, middle - half)), high: Math.min(1, Math.max(rate, middle + half)) }
}

/** The middle 95 % of the bootstrap values; `null` if there are none. */
export function percentileInterval(values: readonly (number | null)[]): Interval | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b)
  if (sorted.length === 0) return null
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!
  return { low: at(0.025), high: at(0.975) }
}
