import type { FrameTiming } from './video-decoder.ts'

/** Times closer than this are equal: they are parsed from decimal fractions. */
const sameTimeS = 1e-5

/** Times of a clip's pictures as read by a decoder. */
export interface PictureTimes {
  /** Times of the pictures that have one, in any order. */
  timesS: readonly number[]
  /** Number of pictures whose decoding time is not later than that of the previous one in the file. */
  backSteps: number
  /** Duration in the headers, including sound; `NaN` if missing. */
  declaredS: number
}

/** Summarises the times of a clip without judging them. */
export function summarizeTiming({ timesS, backSteps, declaredS }: PictureTimes): FrameTiming {
  const sorted = Float64Array.from(timesS).sort()
  let sameTime = 0
  let shortestS = Number.POSITIVE_INFINITY
  for (let i = 1; i < sorted.length; i++) {
    const intervalS = sorted[i]! - sorted[i - 1]!
    if (intervalS < sameTimeS) sameTime++
    else shortestS = Math.min(shortestS, intervalS)
  }
  return {
    declaredS: declaredS > 0 ? declaredS : null,
    sameTime,
    backSteps,
    fastestRate: Number.isFinite(shortestS) ? 1 / shortestS : null,
  }
}
