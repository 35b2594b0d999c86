import { type ComparisonScores, falseMatchRate, falseNonMatchRate, falseNonMatchRateAt } from './metrics.ts'
import { percent } from './report.ts'

/** Result of the search for one probe. */
export interface Search {
  /** Whether the person is enrolled. */
  isMated: boolean
  /** Whether the best candidate is the person. */
  isMateFirst: boolean
  /** Score of the best candidate; 0 if there was none. */
  score: number
}

/** Errors of open-set 1:N search. */
export interface IdentificationReport {
  threshold: number
  mated: number
  nonMated: number
  falsePositives: number
  /** Share of searches for strangers in which a candidate reaches the threshold. */
  fpir: number | null
  /** Share of searches for enrolled people whose best candidate is not the person, at any score. */
  fnirRank1: number | null
  /** The same, or below the threshold. */
  fnir: number | null
  fnirAtFpir1Percent: number | null
}

export function identificationReport(searches: readonly Search[], threshold: number): IdentificationReport {
  const mated = searches.filter(({ isMated }) => isMated)
  const nonMated = searches.filter(({ isMated }) => !isMated).map(({ score }) => score)
  // A search whose best candidate is another person is a miss, at any score.
  const scores: ComparisonScores = {
    mated: mated.map(({ isMateFirst, score }) => (isMateFirst ? score : Number.NEGATIVE_INFINITY)),
    nonMated,
  }
  return {
    threshold,
    mated: mated.length,
    nonMated: nonMated.length,
    falsePositives: nonMated.filter((score) => score >= threshold).length,
    fpir: falseMatchRate(scores, threshold),
    fnirRank1: falseNonMatchRate(scores, 0),
    fnir: falseNonMatchRate(scores, threshold),
    fnirAtFpir1Percent: falseNonMatchRateAt(scores, 0.01),
  }
}

export const identificationText = (report: IdentificationReport & Record<string, unknown>): string =>
  [
    `1:N search at score ${report.threshold}: ${report.enrolled} enrolled with one picture each, ${report.splits} splits`,
    `${report.mated} searches for the enrolled, ${report.nonMated} for strangers; ${report.withoutTemplate} of ${report.pictures} pictures without a template`,
    `FPIR ${percent(report.fpir)} (${report.falsePositives} searches)`,
    `FNIR ${percent(report.fnirRank1)} at rank 1, ${percent(report.fnir)} at rank 1 and the threshold, ${percent(report.fnirAtFpir1Percent)} at FPIR 1 %`,
  ].join('\n')
