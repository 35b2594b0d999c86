/** Errors among samples, with the 95 % interval of the true rate. */
import { type Interval, wilson } from '../../tools/accuracy/intervals.ts'

export interface Rate {
  errors: number
  of: number
  /** Bounds of the interval, 0…1; `null` if the samples are too dependent for one. */
  low: number | null
  high: number | null
}

const round = (share: number): number => Number(share.toPrecision(4))

/** @param interval `null` for none */
export function toRate(errors: number, of: number, interval: Interval | null): Rate {
  return {
    errors,
    of,
    low: interval && round(interval.low),
    high: interval && round(interval.high),
  }
}

/** A rate with Wilson's interval, which assumes independent samples. */
export const sampleRate = (errors: number, of: number): Rate =>
  toRate(errors, of, of === 0 ? null : wilson(errors / of, of))

/** Adds up rates of different sources. */
export const totalRate = (rates: readonly Rate[]): Rate =>
  sampleRate(
    rates.reduce((sum, { errors }) => sum + errors, 0),
    rates.reduce((sum, { of }) => sum + of, 0),
  )
