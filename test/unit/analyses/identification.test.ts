/** The threshold of searches follows the size of the list. */
import { describe, expect, it } from 'vitest'
import { raiseBandForList } from '../../../src/analyses/identification/decide.ts'
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
})
