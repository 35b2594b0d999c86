/** Error rates of comparison and attack detection (ISO/IEC 19795-1, ISO/IEC 30107-3). */

/** Scores of mated and non-mated comparisons; higher means more similar. */
export interface ComparisonScores {
  mated: readonly number[]
  nonMated: readonly number[]
}

const share = (values: readonly number[], test: (value: number) => boolean): number | null =>
  values.length === 0 ? null : values.filter(test).length / values.length

/** FMR: share of non-mated pairs with a score at or above the threshold. */
export const falseMatchRate = ({ nonMated }: ComparisonScores, threshold: number): number | null =>
  share(nonMated, (score) => score >= threshold)

/** FNMR: share of mated pairs with a score below the threshold. */
export const falseNonMatchRate = ({ mated }: ComparisonScores, threshold: number): number | null =>
  share(mated, (score) => score < threshold)

interface DetPoint {
  threshold: number
  fmr: number
  fnmr: number
}

/** FMR and FNMR at each observed score, ascending; empty if one kind of pairs is missing. */
export function detPoints({ mated, nonMated }: ComparisonScores): DetPoint[] {
  if (mated.length === 0 || nonMated.length === 0) return []
  const [mates, strangers] = [Float64Array.from(mated).sort(), Float64Array.from(nonMated).sort()]
  let [missed, rejected] = [0, 0]
  return [...new Set([...mates, ...strangers].sort((a, b) => a - b))].map((threshold) => {
    while (missed < mates.length && mates[missed]! < threshold) missed++
    while (rejected < strangers.length && strangers[rejected]! < threshold) rejected++
    return { threshold, fmr: (strangers.length - rejected) / strangers.length, fnmr: missed / mates.length }
  })
}

/** Equal error rate from the observed scores. */
export function equalErrorRate(scores: ComparisonScores): number | null {
  const gap = ({ fmr, fnmr }: DetPoint) => Math.abs(fmr - fnmr)
  const [first, ...others] = detPoints(scores)
  if (!first) return null
  const best = others.reduce((least, point) => (gap(point) < gap(least) ? point : least), first)
  return (best.fmr + best.fnmr) / 2
}

/** FNMR at the lowest threshold whose FMR is at most `fmr`; mated pairs up to `limit` are missed. */
export function falseNonMatchesAt(
  scores: ComparisonScores,
  fmr: number,
): { rate: number; limit: number } | null {
  if (scores.mated.length === 0 || scores.nonMated.length === 0) return null
  const falling = [...scores.nonMated].sort((a, b) => b - a)
  const allowed = Math.floor(falling.length * fmr)
  // The threshold lies above the first non-mated score that exceeds the allowed number.
  const limit = falling[allowed] ?? Number.NEGATIVE_INFINITY
  return { rate: scores.mated.filter((score) => score <= limit).length / scores.mated.length, limit }
}

export const falseNonMatchRateAt = (scores: ComparisonScores, fmr: number): number | null =>
  falseNonMatchesAt(scores, fmr)?.rate ?? null

/** Attack scores of bona fide and attack presentations; higher means more like an attack. */
export interface AttackScores {
  bonaFide: readonly number[]
  attacks: readonly number[]
}

/** APCER: share of attacks that pass. */
export const attackPassRate = ({ attacks }: AttackScores, threshold: number): number | null =>
  share(attacks, (score) => score < threshold)

/** BPCER: share of bona fide presentations that are declined. */
export const bonaFideRefusalRate = ({ bonaFide }: AttackScores, threshold: number): number | null =>
  share(bonaFide, (score) => score >= threshold)

/** Probability that an attack scores above a bona fide presentation; ties count half. */
export function areaUnderCurve({ bonaFide, attacks }: AttackScores): number | null {
  if (bonaFide.length === 0 || attacks.length === 0) return null
  let wins = 0
  for (const attack of attacks) {
    for (const live of bonaFide) wins += attack > live ? 1 : attack === live ? 0.5 : 0
  }
  return wins / (attacks.length * bonaFide.length)
}
