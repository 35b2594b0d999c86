import { groupBy } from './group-by.ts'
import {
  type AttackScores,
  areaUnderCurve,
  attackPassRate,
  bonaFideRefusalRate,
  type ComparisonScores,
  equalErrorRate,
  falseMatchRate,
  falseNonMatchRate,
  falseNonMatchRateAt,
} from './metrics.ts'
import type { PadRow, PairRow } from './tables.ts'

/** Errors of 1:1 verification at a threshold, overall and by source. */
export function verificationReport(
  pairs: readonly (PairRow & { score: number | null })[],
  threshold: number,
) {
  const compared = pairs.filter((pair): pair is PairRow & { score: number } => pair.score !== null)
  const scoresOf = (rows: readonly { mated: boolean; score: number }[]): ComparisonScores => ({
    mated: rows.filter(({ mated }) => mated).map(({ score }) => score),
    nonMated: rows.filter(({ mated }) => !mated).map(({ score }) => score),
  })
  const describe = (rows: typeof compared) => {
    const scores = scoresOf(rows)
    const falseMatches = scores.nonMated.filter((score) => score >= threshold).length
    const falseNonMatches = scores.mated.filter((score) => score < threshold).length
    return {
      mated: scores.mated.length,
      nonMated: scores.nonMated.length,
      falseMatches,
      falseNonMatches,
      fmr: falseMatchRate(scores, threshold),
      fnmr: falseNonMatchRate(scores, threshold),
      accuracy: rows.length === 0 ? null : 1 - (falseMatches + falseNonMatches) / rows.length,
    }
  }
  const all = scoresOf(compared)
  return {
    threshold,
    pairs: pairs.length,
    notCompared: pairs.length - compared.length,
    ...describe(compared),
    eer: equalErrorRate(all),
    fnmrAtFmr1Percent: falseNonMatchRateAt(all, 0.01),
    fnmrAtFmr01Percent: falseNonMatchRateAt(all, 0.001),
    bySource: Object.fromEntries(
      [...groupBy(compared, ({ source }) => source)].map(([name, rows]) => [name, describe(rows)]),
    ),
  }
}

/** A labelled sample with its attack score. */
interface ScoredRow extends PadRow {
  score: number | null
  /** False if the sample is too poor to be judged: it fails instead of being declined. */
  isJudged?: boolean
}

/** Errors of attack detection at a threshold, by PAI species and by source of bona fide samples. */
export function padReport(rows: readonly ScoredRow[], threshold: number) {
  const assessed = rows.filter((row): row is ScoredRow & { score: number } => row.score !== null)
  const failing = assessed.filter(({ score, isJudged }) => score >= threshold && isJudged === false)
  const scores: AttackScores = {
    bonaFide: assessed.filter(({ bonaFide }) => bonaFide).map(({ score }) => score),
    attacks: assessed.filter(({ bonaFide }) => !bonaFide).map(({ score }) => score),
  }
  const species = groupBy(
    assessed.filter(({ bonaFide }) => !bonaFide),
    ({ detail }) => detail,
  )
  const sources = groupBy(
    assessed.filter(({ bonaFide }) => bonaFide),
    ({ detail }) => detail,
  )
  return {
    threshold,
    notAssessed: rows.length - assessed.length,
    bonaFide: scores.bonaFide.length,
    attacks: scores.attacks.length,
    apcer: attackPassRate(scores, threshold),
    bpcer: bonaFideRefusalRate(scores, threshold),
    auc: areaUnderCurve(scores),
    /** Of those that reach the threshold: samples that fail since they are too poor to be judged. */
    failing: {
      bonaFide: failing.filter(({ bonaFide }) => bonaFide).length,
      attacks: failing.filter(({ bonaFide }) => !bonaFide).length,
    },
    apcerBySpecies: Object.fromEntries(
      [...species].map(([name, group]) => {
        const attacks = group.map(({ score }) => score)
        return [
          name,
          { attacks: attacks.length, apcer: attackPassRate({ bonaFide: [], attacks }, threshold) },
        ]
      }),
    ),
    bpcerBySource: Object.fromEntries(
      [...sources].map(([name, group]) => {
        const bonaFide = group.map(({ score }) => score)
        return [
          name,
          { bonaFide: bonaFide.length, bpcer: bonaFideRefusalRate({ bonaFide, attacks: [] }, threshold) },
        ]
      }),
    ),
  }
}

export const percent = (rate: number | null): string => (rate === null ? '—' : `${(rate * 100).toFixed(2)} %`)

type Verification = ReturnType<typeof verificationReport>
type Counts = Pick<Verification, 'mated' | 'nonMated' | 'falseMatches' | 'falseNonMatches' | 'accuracy'>

export function verificationText(report: Verification): string {
  const line = (name: string, row: Counts) =>
    [
      name.padEnd(52),
      String(row.mated).padStart(6),
      String(row.falseNonMatches).padStart(8),
      String(row.nonMated).padStart(11),
      String(row.falseMatches).padStart(9),
      percent(row.accuracy).padStart(11),
    ].join('')
  return [
    `1:1 verification at score ${report.threshold}; ${report.notCompared} of ${report.pairs} pairs not compared`,
    `${'source'.padEnd(52)} mated  missed  strangers  matched   accuracy`,
    ...Object.entries(report.bySource).map(([name, row]) => line(name, row)),
    line('all', report),
    `FMR ${percent(report.fmr)}, FNMR ${percent(report.fnmr)}, EER ${percent(report.eer)}`,
    `FNMR at FMR 1 %: ${percent(report.fnmrAtFmr1Percent)}, at FMR 0.1 %: ${percent(report.fnmrAtFmr01Percent)}`,
  ].join('\n')
}

export function padText(report: ReturnType<typeof padReport>): string {
  const line = (name: string, rate: number | null, count: number, of: string) =>
    `${name} ${percent(rate).padStart(9)} of ${String(count).padStart(4)}  ${of}`
  return [
    `Presentation attack detection at score ${report.threshold}; ${report.notAssessed} not assessed`,
    ...Object.entries(report.apcerBySpecies).map(([of, { attacks, apcer }]) =>
      line('APCER', apcer, attacks, of),
    ),
    ...Object.entries(report.bpcerBySource).map(([of, { bonaFide, bpcer }]) =>
      line('BPCER', bpcer, bonaFide, of),
    ),
    line('APCER', report.apcer, report.attacks, 'all attacks'),
    line('BPCER', report.bpcer, report.bonaFide, 'all bona fide'),
    `AUC ${report.auc?.toFixed(4) ?? '—'}`,
    `Too poor to be declined, and fail: ${report.failing.bonaFide} bona fide (part of BPCER), ${report.failing.attacks} attacks`,
  ].join('\n')
}
