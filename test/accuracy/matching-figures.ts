/** Error rates of 1:1 comparison with intervals: all together, by source, by group of people. */
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

/** A pair that was compared. */
export interface ComparedPair {
  a: string
  b: string
  /** Whom the two pictures show. */
  people: readonly [string, string]
  mated: boolean
  source: string
  group: string
  score: number
  /** Log odds of the score: the same order without an end. */
  logOdds: number
}

/** With Wilson's interval where too few people err for resampling. */
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

export interface RatesAt {
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
  /** FNMR where FMR is at most so much. */
  fnmrAt: ({ fmr: number; fnmr: number | null } & Estimated)[]
  /** The score above which FMR is at most so much; `null` where there are too few non-mated pairs to tell. */
  scoreFor: { fmr: number; above: number | null }[]
}

export interface MatchingFigures {
  /** The one that is shipped, or set. */
  threshold: number
  rounds: number
  all: MatchingSet
  sources: MatchingSet[]
  /** Empty where no groups are named. */
  groups: MatchingSet[]
}

/** How the group of a pair is called where others have one. */
export const groupNameOf = ({ group }: ComparedPair): string => group || 'no group named'

const usualThresholds = [0.5, 0.7, 0.85, 0.9, 0.95, 0.99]
const falseMatchRates = [0.01, 0.001]
/** Where fewer couples of people err, resampling is blind to errors that were not met. */
const erringCouplesMin = 10

interface Prepared {
  name: string
  pairs: readonly ComparedPair[]
  mated: Trial[]
  nonMated: Trial[]
}

/** Describes one set of pairs, with the estimators it needs intervals of. */
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

/** @param couples how many there are, and how many of them err */
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
 * @param threshold the one that is shipped, or set
 * @param onRound hears how many rounds of resampling are done
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

/** The figures at the shipped threshold. */
export const shippedRates = (set: MatchingSet, threshold: number): RatesAt =>
  set.at.find((row) => row.threshold === threshold)!
