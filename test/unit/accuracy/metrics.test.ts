import { describe, expect, it } from 'vitest'
import {
  areaUnderCurve,
  attackPassRate,
  bonaFideRefusalRate,
  equalErrorRate,
  falseMatchRate,
  falseNonMatchRate,
  falseNonMatchRateAt,
} from '../../../tools/accuracy/metrics.ts'

const scores = { mated: [0.9, 0.8, 0.7, 0.4], nonMated: [0.1, 0.2, 0.3, 0.75] }

describe('comparison errors', () => {
  it('count strangers at or above, and mates below the threshold', () => {
    expect(falseMatchRate(scores, 0.75)).toBe(0.25)
    expect(falseNonMatchRate(scores, 0.75)).toBe(0.5)
  })

  it('meet at the equal error rate', () => {
    expect(equalErrorRate(scores)).toBe(0.25)
    expect(equalErrorRate({ mated: [1, 1], nonMated: [0, 0] })).toBe(0)
  })

  it('at a false match rate allow that share of strangers and no more', () => {
    expect(falseNonMatchRateAt(scores, 0)).toBe(0.5)
    expect(falseNonMatchRateAt(scores, 0.25)).toBe(0)
  })

  it('are unknown without scores', () => {
    expect(falseMatchRate({ mated: [], nonMated: [] }, 0.5)).toBeNull()
    expect(equalErrorRate({ mated: [1], nonMated: [] })).toBeNull()
  })
})

describe('attack errors', () => {
  const attacks = { bonaFide: [0.1, 0.6], attacks: [0.4, 0.9] }
  it('count attacks below and bona fide samples at or above the threshold', () => {
    expect(attackPassRate(attacks, 0.5)).toBe(0.5)
    expect(bonaFideRefusalRate(attacks, 0.5)).toBe(0.5)
  })

  it('are summed up by the area under the curve', () => {
    expect(areaUnderCurve(attacks)).toBe(0.75)
    expect(areaUnderCurve({ bonaFide: [0.5], attacks: [0.5] })).toBe(0.5)
  })
})
