/** Error rates of 1:1 comparison with intervals: overall, by source, and by group of people. */
import {
  couplesOf,
  type Estimator,
  rateAtEstimator,
  rateEstimator,
  resample,
  rounds,
  type Trial,
} from './bootstrap.ts'
import { groupBy } from './group-by.ts'
import { type Interval, percentileInterval, wilson } from './intervals.ts'
import { equalErrorRate, falseNonMatchesAt } from './metrics.ts'

/** A compared pair. */
export interface ComparedPair {
  a: string
  b: string
  /** Whom the two pictures show. */
  people: readonly [string, string]
  mated: boolean
  source: string
  group: string
  score: number
  /** Log odds of the score: the same order on an unbounded scale. */
  logOdds: number
}

/** With Wilson's interval if too few people have errors for the bootstrap. */
interface Estimated {
  interval: Interval | null
  method: 'bootstrap' | 'wilson'
}

export interface Rate extends Estimated {
  errors: number
  trials: number
  /** Different couples of people among the trials; of one person with itself for mated pairs. */
  couples: number
  rate: number | null
}

interface RatesAt {
  threshold: number
  fmr: Rate
  fnmr: Rate
}

export interface MatchingSet {
  name: string
  mated: number
  nonMated: number
  people: number
  eer: number | null
  at: RatesAt[]
  /** FNMR at given maximum FMRs. */
  fnmrAt: ({ fmr: number; fnmr: number | null } & Estimated)[]
  /** The score above which FMR is at most so much; `null` where there are too few non-mated pairs to tell. */
  scoreFor: { fmr: number; above: number | null }[]
}

export interface MatchingFigures {
  /** The default threshold, or the configured one. */
  threshold: number
  rounds: number
  all: MatchingSet
  sources: MatchingSet[]
  /** Empty if there are no groups. */
  groups: MatchingSet[]
}

/** Name of the group of pairs without a group, if others have one. */
export const groupNameOf = ({ group }: ComparedPair): string => group || 'no group named'

const usualThresholds = [0.5, 0.7, 0.85, 0.9, 0.95, 0.99]
const falseMatchRates = [0.01, 0.001]
/** Minimum number of pairs of people with errors for the bootstrap, which cannot account for errors that were not observed. */
const erringCouplesMin = 10

interface Prepared {
  name: string
  pairs: readonly ComparedPair[]
  mated: Trial[]
  nonMated: Trial[]
}

/** Describes a set of pairs, with the estimators that need intervals. */
function describe({ name, pairs, mated, nonMated }: Prepared, thresholds: readonly number[]) {
  const kinds = {
    fmr: couplesOf(
      nonMated,
      thresholds.map((threshold) => (score: number) => score >= threshold),
    ),
    fnmr: couplesOf(
      mated,
      thresholds.map((threshold) => (score: number) => score < threshold),
    ),
  }
  const scores = { mated: mated.map(({ score }) => score), nonMated: nonMated.map(({ score }) => score) }
  const estimators: Estimator[] = [
    rateEstimator(kinds.fmr, thresholds.length),
    rateEstimator(kinds.fnmr, thresholds.length),
    rateAtEstimator(mated, nonMated, falseMatchRates),
  ]
  const rateOf = (kind: 'fmr' | 'fnmr', at: number, values: readonly (number | null)[]): Rate => {
    const couples = kinds[kind]
    const trials = kind === 'fmr' ? nonMated.length : mated.length
    const errors = couples.reduce((sum, couple) => sum + couple.errors[at]!, 0)
    const erring = couples.filter((couple) => couple.errors[at]! > 0).length
    const rate = trials === 0 ? null : errors / trials
    return {
      errors,
      trials,
      couples: couples.length,
      rate,
      ...estimate(rate, couples.length, erring, values),
    }
  }
  const fnmrAt = (fmr: number, values: readonly (number | null)[]) => {
    const { rate, limit } = falseNonMatchesAt(scores, fmr) ?? { rate: null, limit: 0 }
    const erring = new Set(mated.filter(({ score }) => score <= limit).map(({ people }) => people[0]))
    return { fnmr: rate, ...estimate(rate, kinds.fnmr.length, erring.size, values) }
  }
  const finish = (values: readonly (number | null)[][][]): MatchingSet => ({
    name,
    mated: mated.length,
    nonMated: nonMated.length,
    people: new Set(pairs.flatMap(({ people }) => people)).size,
    eer: equalErrorRate(scores),
    at: thresholds.map((threshold, at) => ({
      threshold,
      fmr: rateOf('fmr', at, values[0]?.[at] ?? []),
      fnmr: rateOf('fnmr', at, values[1]?.[at] ?? []),
    })),
    fnmrAt: falseMatchRates.map((fmr, at) => ({ fmr, ...fnmrAt(fmr, values[2]?.[at] ?? []) })),
    scoreFor: falseMatchRates.map((fmr) => ({ fmr, above: scoreFor(scores.nonMated, fmr) })),
  })
  return { estimators, finish }
}

/** @param couples number of pairs of people, and number of those with errors */
const estimate = (
  rate: number | null,
  couples: number,
  erring: number,
  values: readonly (number | null)[],
): Estimated =>
  rate !== null && erring < erringCouplesMin
    ? { interval: wilson(rate, couples), method: 'wilson' }
    : { interval: percentileInterval(values), method: 'bootstrap' }

function scoreFor(nonMated: readonly number[], fmr: number): number | null {
  const allowed = Math.floor(nonMated.length * fmr)
  return allowed < 1 ? null : [...nonMated].sort((a, b) => b - a)[allowed]!
}

/**
 * @param threshold the default threshold, or the configured one
 * @param onRound called with the number of finished bootstrap rounds
 */
export function matchingFigures(
  pairs: readonly ComparedPair[],
  threshold: number,
  onRound?: (done: number) => void,
): MatchingFigures {
  const numbers = new Map([...new Set(pairs.flatMap(({ people }) => people))].map((name, i) => [name, i]))
  const prepare = (name: string, rows: readonly ComparedPair[]): Prepared => {
    const trials = (mated: boolean) =>
      rows
        .filter((row) => row.mated === mated)
        .map(({ people: [a, b], score }): Trial => {
          const first = numbers.get(a)!
          return { people: [first, mated ? first : numbers.get(b)!], score }
        })
    return { name, pairs: rows, mated: trials(true), nonMated: trials(false) }
  }
  const thresholds = [...new Set([...usualThresholds, threshold])].sort((a, b) => a - b)
  const sets = (key: (pair: ComparedPair) => string) =>
    [...groupBy(pairs, key)].map(([name, rows]) => describe(prepare(name, rows), thresholds))
  const [sources, groups] = [
    sets(({ source }) => source),
    pairs.some(({ group }) => group !== '') ? sets(groupNameOf) : [],
  ]
  const all = describe(prepare('all', pairs), thresholds)

  const every = [all, ...sources, ...groups]
  const values = resample(
    numbers.size,
    every.flatMap(({ estimators }) => estimators),
    onRound,
  )
  const [first, ...others] = every.map(({ estimators, finish }, i) =>
    finish(values.slice(i * estimators.length, (i + 1) * estimators.length)),
  )
  return {
    threshold,
    rounds,
    all: first!,
    sources: others.slice(0, sources.length),
    groups: others.slice(sources.length),
  }
}

/** The figures at the default threshold. */
export const shippedRates = (set: MatchingSet, threshold: number): RatesAt =>
  set.at.find((row) => row.threshold === threshold)!
