/**
 * Bootstrap by person.
 *
 * Comparisons that share a person are correlated, so pairs must not be drawn independently: people are drawn with replacement,
 * and a pair is weighted by the product of the counts of its two people (a mated pair by the count of its person).
 */
import { generator } from '../../test/fixtures/gallery.ts'

/** Number of draws of each person, by number of the person. */
type Draw = Uint16Array

/** Figures of one draw; `null` if it has no trial. */
export type Estimator = (draw: Draw) => readonly (number | null)[]

export const rounds = 1000

/**
 * Runs the bootstrap.
 * @param people number of people
 * @param onRound called with the number of finished rounds
 * @returns for each estimator and each of its figures the values of all rounds; deterministic
 */
export function resample(
  people: number,
  estimators: readonly Estimator[],
  onRound: (done: number) => void = () => {},
): (number | null)[][][] {
  const random = generator(1)
  const values: (number | null)[][][] = estimators.map(() => [])
  const draw = new Uint16Array(people)
  for (let round = 0; round < rounds; round++) {
    draw.fill(0)
    for (let i = 0; i < people; i++) draw[Math.floor(random() * people)]!++
    estimators.forEach((estimate, i) => {
      estimate(draw).forEach((value, at) => {
        values[i]![at] ??= []
        values[i]![at]!.push(value)
      })
    })
    onRound(round + 1)
  }
  return values
}

/** A comparison of two people, or of a person with itself, by their numbers. */
export interface Trial {
  people: readonly [number, number]
  score: number
}

/** The people of many rows in typed arrays, for millions of look-ups per second. */
interface PeopleColumns {
  first: Uint32Array
  second: Uint32Array
}

const columnsOf = (rows: readonly { people: readonly [number, number] }[]): PeopleColumns => ({
  first: Uint32Array.from(rows, ({ people }) => people[0]),
  second: Uint32Array.from(rows, ({ people }) => people[1]),
})

function weightAt(draw: Draw, { first, second }: PeopleColumns, row: number): number {
  const [a, b] = [first[row]!, second[row]!]
  return a === b ? draw[a]! : draw[a]! * draw[b]!
}

/** All comparisons of the same two people, which have the same weight in every draw. */
interface Couple {
  people: readonly [number, number]
  trials: number
  /** By threshold. */
  errors: number[]
}

/** @param isError one test for each threshold */
export function couplesOf(
  trials: readonly Trial[],
  isError: readonly ((score: number) => boolean)[],
): Couple[] {
  const couples = new Map<string, Couple>()
  for (const { people, score } of trials) {
    const key = people[0] < people[1] ? people.join() : [people[1], people[0]].join()
    const couple = couples.get(key) ?? { people, trials: 0, errors: isError.map(() => 0) }
    couples.set(key, couple)
    couple.trials++
    isError.forEach((test, at) => {
      if (test(score)) couple.errors[at]!++
    })
  }
  return [...couples.values()]
}

/** Estimates the error rate at each threshold. */
export function rateEstimator(couples: readonly Couple[], thresholds: number): Estimator {
  const every = columnsOf(couples)
  const trials = Uint32Array.from(couples, (couple) => couple.trials)
  const erring = couples.filter(({ errors }) => errors.some((count) => count > 0))
  const erringPeople = columnsOf(erring)
  const erringCounts = Uint32Array.from(erring.flatMap(({ errors }) => errors))
  return (draw) => {
    let total = 0
    for (let row = 0; row < trials.length; row++) total += weightAt(draw, every, row) * trials[row]!
    const errors = new Float64Array(thresholds)
    for (let row = 0; row < erring.length; row++) {
      const weight = weightAt(draw, erringPeople, row)
      if (weight === 0) continue
      for (let at = 0; at < thresholds; at++) errors[at]! += weight * erringCounts[row * thresholds + at]!
    }
    return Array.from(errors, (count) => (total === 0 ? null : count / total))
  }
}

/** Estimates FNMR at the lowest threshold whose FMR is at most each of some rates, as `falseNonMatchesAt` reads it. */
export function rateAtEstimator(
  mated: readonly Trial[],
  nonMated: readonly Trial[],
  falseMatchRates: readonly number[],
): Estimator {
  const falling = [...nonMated].sort((a, b) => b.score - a.score)
  const rising = [...mated].sort((a, b) => a.score - b.score)
  const [strangers, mates] = [columnsOf(falling), columnsOf(rising)]
  /** The score of the first non-mated pair above the allowed number. */
  const limitOf = (draw: Draw, allowed: number) => {
    let row = 0
    for (let above = weightAt(draw, strangers, 0); above <= allowed; row++)
      above += weightAt(draw, strangers, row + 1)
    return falling[row]!.score
  }
  const missedUpTo = (draw: Draw, limit: number) => {
    let missed = 0
    for (let row = 0; row < rising.length && rising[row]!.score <= limit; row++)
      missed += weightAt(draw, mates, row)
    return missed
  }
  return (draw) => {
    let total = 0
    for (let row = 0; row < falling.length; row++) total += weightAt(draw, strangers, row)
    const matedTotal = missedUpTo(draw, Number.POSITIVE_INFINITY)
    return falseMatchRates.map((rate) =>
      total === 0 || matedTotal === 0
        ? null
        : missedUpTo(draw, limitOf(draw, Math.floor(total * rate))) / matedTotal,
    )
  }
}
