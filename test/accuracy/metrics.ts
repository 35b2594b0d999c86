/** Error rates of comparison and attack detection (ISO/IEC 19795-1, ISO/IEC 30107-3). */

/** Scores of mated and non-mated comparisons; higher means more alike. */
export interface ComparisonScores {
  mated: readonly number[]
  nonMated: readonly number[]
}

const share = (values: readonly number[], test: (value: number) => boolean): number | null =>
  values.length === 0 ? null : values.filter(test).length / values.length

/** Share of strangers that match: score at or above the threshold. */
export const falseMatchRate = ({ nonMated }: ComparisonScores, threshold: number): number | null =>
  share(nonMated, (score) => score >= threshold)

/** Share of pairs of one person that do not match. */
export const falseNonMatchRate = ({ mated }: ComparisonScores, threshold: number): number | null =>
  share(mated, (score) => score < threshold)

/** The rate where FMR and FNMR meet, read off the observed scores. */
export function equalErrorRate(scores: ComparisonScores): number | null {
  if (scores.mated.length === 0 || scores.nonMated.length === 0) return null
  const thresholds = [...new Set([...scores.mated, ...scores.nonMated])].sort((a, b) => a - b)
  let best = { gap: Number.POSITIVE_INFINITY, rate: 1 }
  for (const threshold of thresholds) {
    const fmr = falseMatchRate(scores, threshold)!
    const fnmr = falseNonMatchRate(scores, threshold)!
    if (Math.abs(fmr - fnmr) < best.gap) best = { gap: Math.abs(fmr - fnmr), rate: (fmr + fnmr) / 2 }
  }
  return best.rate
}

/** FNMR at the lowest threshold whose FMR is at most `fmr`. */
export function falseNonMatchRateAt(scores: ComparisonScores, fmr: number): number | null {
  if (scores.mated.length === 0 || scores.nonMated.length === 0) return null
  const falling = [...scores.nonMated].sort((a, b) => b - a)
  const allowed = Math.floor(falling.length * fmr)
  // Everything above the first stranger that is one too many.
  const limit = falling[allowed] ?? Number.NEGATIVE_INFINITY
  return scores.mated.filter((score) => score <= limit).length / scores.mated.length
}

/** Attack scores of bona fide and attack presentations; higher means more like an attack. */
export interface AttackScores {
  bonaFide: readonly number[]
  attacks: readonly number[]
}

/** APCER: share of attacks that pass. */
export const attackPassRate = ({ attacks }: AttackScores, threshold: number): number | null =>
  share(attacks, (score) => score < threshold)

/** BPCER: share of bona fide presentations that are turned away. */
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
