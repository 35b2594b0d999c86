import { describe, expect, it } from 'vitest'
import { attackFigures } from '../../../tools/accuracy/attack-figures.ts'
import { couplesOf, rateAtEstimator, rateEstimator, resample } from '../../../tools/accuracy/bootstrap.ts'
import { percentileInterval, wilson } from '../../../tools/accuracy/intervals.ts'
import { type ComparedPair, matchingFigures, shippedRates } from '../../../tools/accuracy/matching-figures.ts'
import { detPoints, falseNonMatchRateAt } from '../../../tools/accuracy/metrics.ts'
import { padReport, padText } from '../../../tools/accuracy/report.ts'

const pair = (a: string, b: string, score: number, rest: Partial<ComparedPair> = {}): ComparedPair => ({
  a: `${a}.jpg`,
  b: `${b}.jpg`,
  people: [a, b],
  mated: a === b,
  source: 'camera',
  group: '',
  score,
  logOdds: Math.log(score / (1 - score)),
  ...rest,
})
const numbers = (length: number) => Array.from({ length }, (_, i) => i)

describe('intervals', () => {
  it("are Wilson's for shares", () => {
    // Values of the closed form for 8 of 20, and for none of 10.
    expect(wilson(0.4, 20)?.low).toBeCloseTo(0.2188, 4)
    expect(wilson(0.4, 20)?.high).toBeCloseTo(0.6134, 4)
    expect(wilson(0, 10)).toEqual({ low: 0, high: expect.closeTo(0.2775, 4) })
    expect(wilson(1, 10)?.high).toBe(1)
    expect(wilson(0, 0)).toBeNull()
  })

  it('are the middle of what resampling gave', () => {
    expect(percentileInterval([...numbers(1001), null])).toEqual({ low: 25, high: 975 })
    expect(percentileInterval([null])).toBeNull()
  })
})

describe('resampling', () => {
  it('draws people: their pairs come and go together', () => {
    // 40 people with 50 pairs each, of whom 8 always fail: the spread is that of 40 people, not of 2000 pairs.
    const trials = numbers(40).flatMap((person) =>
      numbers(50).map(() => ({ people: [person, person] as const, score: person < 8 ? 0 : 1 })),
    )
    const couples = couplesOf(trials, [(score) => score < 0.5])
    expect(couples).toHaveLength(40)
    const values = resample(40, [rateEstimator(couples, 1)])[0]![0]!
    const deviation = Math.sqrt(
      values.reduce<number>((sum, value) => sum + (value! - 0.2) ** 2, 0) / values.length,
    )
    expect(deviation).toBeGreaterThan(0.055)
    expect(deviation).toBeLessThan(0.071)
    expect(resample(40, [rateEstimator(couples, 1)])[0]![0]).toEqual(values)
  })

  it('counts a pair as often as both of its people were drawn', () => {
    const couples = couplesOf(
      [
        { people: [0, 1], score: 1 },
        { people: [1, 0], score: 0 },
        { people: [1, 2], score: 0 },
      ],
      [(score) => score > 0.5],
    )
    expect(couples.map(({ trials }) => trials)).toEqual([2, 1])
    // Two people drawn, once and twice: 2 × (1 of 2), and the third person is absent.
    expect(rateEstimator(couples, 1)(Uint16Array.of(1, 2, 0))).toEqual([0.5])
    expect(rateEstimator(couples, 1)(Uint16Array.of(1, 1, 2))).toEqual([0.25])
    expect(rateEstimator(couples, 1)(Uint16Array.of(3, 0, 0))).toEqual([null])
  })

  it('reads FNMR at an FMR like the plain rate when everybody is drawn once', () => {
    const scores = { mated: [0.9, 0.8, 0.7, 0.4], nonMated: [0.1, 0.2, 0.3, 0.75] }
    const trial = (score: number) => ({ people: [0, 0] as const, score })
    const rates = [0, 0.25, 0.5]
    const estimate = rateAtEstimator(scores.mated.map(trial), scores.nonMated.map(trial), rates)
    expect(estimate(Uint16Array.of(1))).toEqual(rates.map((rate) => falseNonMatchRateAt(scores, rate)))
  })
})

describe('the error trade-off', () => {
  it('has both rates at each score', () => {
    expect(detPoints({ mated: [0.9, 0.4], nonMated: [0.4, 0.1] })).toEqual([
      { threshold: 0.1, fmr: 1, fnmr: 0 },
      { threshold: 0.4, fmr: 0.5, fnmr: 0 },
      { threshold: 0.9, fmr: 0, fnmr: 0.5 },
    ])
    expect(detPoints({ mated: [1], nonMated: [] })).toEqual([])
  })
})

describe('figures of matching', () => {
  const strangers = (group: string, scores: readonly number[]) =>
    scores.map((score, i) => pair(`${group}${i}`, `${group}${i + 1}`, score, { group, source: 'lists' }))
  const figures = matchingFigures(
    [
      ...strangers('north', [0.9, 0.1, 0.2, 0.3]),
      ...strangers('south', [0.1, 0.2]),
      pair('north0', 'north0', 0.95, { group: 'north' }),
      pair('south0', 'south0', 0.6, { group: 'south' }),
    ],
    0.85,
  )

  it('count false matches by group', () => {
    const counts = figures.groups.map((set) => {
      const { fmr, fnmr } = shippedRates(set, 0.85)
      return [set.name, fmr.errors, fmr.trials, fnmr.errors, fnmr.trials, set.people]
    })
    expect(counts).toEqual([
      ['north', 1, 4, 0, 1, 5],
      ['south', 0, 2, 1, 1, 3],
    ])
    expect(figures.sources.map(({ name }) => name)).toEqual(['lists', 'camera'])
  })

  it('have the set threshold among the usual ones', () => {
    expect(matchingFigures([pair('a', 'b', 0.1)], 0.77).all.at.map(({ threshold }) => threshold)).toEqual([
      0.5, 0.7, 0.77, 0.85, 0.9, 0.95, 0.99,
    ])
  })

  it('do not take few people for proof', () => {
    const many = numbers(1000).map(() => pair('a', 'a', 0.99))
    const { fnmr } = shippedRates(matchingFigures(many, 0.85).all, 0.85)
    expect(fnmr).toMatchObject({ errors: 0, trials: 1000, couples: 1, method: 'wilson' })
    expect(fnmr.interval?.high).toBeGreaterThan(0.7)
  })

  it('have no groups where none is named, and claim nothing without pairs', () => {
    const none = matchingFigures([], 0.85)
    expect(none.groups).toEqual([])
    expect(shippedRates(none.all, 0.85).fmr).toMatchObject({ rate: null, interval: null })
    expect(none.all.scoreFor).toEqual([
      { fmr: 0.01, above: null },
      { fmr: 0.001, above: null },
    ])
  })

  it('name the score a false match rate needs once there are enough pairs', () => {
    const rows = numbers(200).map((i) => pair(`p${i}`, `q${i}`, i / 200 + 0.001))
    const [one, tenth] = matchingFigures(rows, 0.85).all.scoreFor
    expect(one!.above).toBeCloseTo(197 / 200 + 0.001)
    expect(tenth!.above).toBeNull()
  })
})

it('counts attacks below and bona fide samples from the threshold on, by name', () => {
  const sample = (score: number, bonaFide: boolean, detail: string) => ({
    file: 'f',
    score,
    bonaFide,
    detail,
  })
  const figures = attackFigures(
    [
      sample(0.5, true, 'phone'),
      sample(0.1, true, 'phone'),
      sample(0.5, false, 'print'),
      sample(0.3, false, 'screen'),
    ],
    0.5,
  )
  const errors = figures.map(({ name, at }) => [name, ...at.map((row) => row.errors)])
  expect(errors).toEqual([
    ['print', 0, 0, 1],
    ['screen', 0, 1, 1],
    ['all attacks', 0, 1, 2],
    ['phone', 1, 1, 0],
    ['all bona fide', 1, 1, 0],
  ])
})

it('samples that are too poor to be judged are counted where they reach the threshold', () => {
  const sample = { file: 'f', detail: 'd', isJudged: false }
  const report = padReport(
    [
      { ...sample, bonaFide: true, score: 0.7 },
      { ...sample, bonaFide: true, score: 0.4 },
      { ...sample, bonaFide: true, score: 0.9, isJudged: true },
      { ...sample, bonaFide: false, score: 0.5 },
    ],
    0.5,
  )
  expect([report.failing, report.bpcer]).toEqual([{ bonaFide: 1, attacks: 1 }, 2 / 3])
  expect(padText(report)).toContain('fail: 1 bona fide (part of BPCER), 1 attacks')
})
