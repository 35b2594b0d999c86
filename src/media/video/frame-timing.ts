import type { FrameTiming } from './video-decoder.ts'

/** Times are read as decimal fractions; what lies nearer is one time. */
const sameTimeS = 1e-5

/** What a decoder read of the times of a clip's pictures. */
export interface PictureTimes {
  /** Times of the pictures that have one, in any order. */
  timesS: readonly number[]
  /** How often a picture is to be decoded no later than the one before it in the file. */
  backSteps: number
  /** Duration of the clip, its sound included, by the headers; `NaN` where they say none. */
  declaredS: number
}

/** Facts only: what follows from them is for whoever reads them. */
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
