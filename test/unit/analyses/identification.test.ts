/** The threshold of searches follows the size of the list. */
import { describe, expect, it } from 'vitest'
import { raiseBandForList, rateOfSearch } from '../../../src/analyses/identification/decide.ts'
import { readSettings } from '../../../src/settings.ts'

describe('the threshold of a list, as shipped', () => {
  const settings = readSettings({})
  const { matchThresholdMin: min, matchThresholdMax: max, collectionFalseHitsMax: falseHitsMax } = settings
  const thresholdOf = (templates: number) => raiseBandForList({ band: { min, max }, falseHitsMax }, templates)

  it.each([0, 1, 10, 100])('is that of two faces among %d photos', (templates) => {
    expect(thresholdOf(templates)).toEqual({ min: 0.85, max: 0.85 })
  })

  it.each([
    [200, 0.88],
    [1000, 0.934],
    [10_000, 0.973],
  ])('rises: among %d photos it is %d', (templates, threshold) => {
    const near = expect.closeTo(threshold, 3)
    expect(thresholdOf(templates)).toEqual({ min: near, max: near })
  })

  it.each([
    // What docs/identification.md says of 0.85, where nothing raises it.
    [null, 0, 0],
    [null, 100, 0.095],
    [null, 1000, 0.632],
    [null, 10_000, 1],
    [0.1, 10, 0.00995],
    [0.1, 1000, 0.1],
    [0.1, 10_000, 0.1],
  ])(
    'with at most %d false hits, %d photos give a stranger a hit with a share of %d',
    (most, templates, share) => {
      const { falseHits } = rateOfSearch({ band: { min, max }, falseHitsMax: most }, templates)
      expect(falseHits).toBeCloseTo(share, 3)
    },
  )

  it.each([0, 1])('of %d gives a share from 0 to 1', (threshold) => {
    const band = { min: threshold, max: threshold }
    const { falseHits } = rateOfSearch({ band, falseHitsMax: null }, 10)
    expect(falseHits).toBeCloseTo(1 - threshold, 5)
  })
})
