import { expect, it } from 'vitest'
import { identificationReport, type Search } from '../../../tools/accuracy/identify-report.ts'

const mated = (score: number, isMateFirst = true): Search => ({ isMated: true, isMateFirst, score })
const stranger = (score: number): Search => ({ isMated: false, isMateFirst: false, score })

it('counts the errors of open-set search', () => {
  const searches = [
    ...[mated(0.99), mated(0.9), mated(0.7), mated(0.95, false)],
    ...[stranger(0.1), stranger(0.2), stranger(0.3), stranger(0.85), stranger(0.92)],
  ]
  expect(identificationReport(searches, 0.85)).toEqual({
    threshold: 0.85,
    mated: 4,
    nonMated: 5,
    falsePositives: 2,
    fpir: 0.4,
    fnirRank1: 0.25,
    fnir: 0.5,
    fnirAtFpir1Percent: 0.75,
  })
})

it('claims nothing without searches', () => {
  expect(identificationReport([], 0.85)).toMatchObject({ fpir: null, fnir: null, fnirAtFpir1Percent: null })
})
