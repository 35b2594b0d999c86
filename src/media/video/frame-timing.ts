import type { RawFacts } from './check-clip.ts'
import type { FrameTiming } from './video-decoder.ts'

/** Times are read as decimal fractions; what lies nearer is one time. */
const sameTimeS = 1e-5

/** Facts only: what follows from them is for whoever reads them. */
export function frameTiming({
  timesS,
  backSteps,
  declaredS,
}: Pick<RawFacts, 'timesS' | 'backSteps' | 'declaredS'>): FrameTiming {
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
    ...{ sameTime, backSteps },
    fastestRate: Number.isFinite(shortestS) ? 1 / shortestS : null,
  }
}
