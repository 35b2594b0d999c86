import { describe, expect, it } from 'vitest'
import {
  type ChallengeRow,
  challengeReport,
  challengeText,
} from '../../../tools/accuracy/challenge/challenge-report.ts'

const row = (status: string, change: Partial<ChallengeRow> = {}): ChallengeRow => ({
  ...{ step: 'colours', person: 'a', group: 'north', kind: 'person', lux: 100 },
  found: { status } as ChallengeRow['found'],
  ...change,
})

describe('answers to challenges', () => {
  const counts = challengeReport([
    row('performed'),
    row('cannot_tell'),
    row('performed', { lux: 5000 }),
    row('not_performed', { kind: 'flat print' }),
    row('performed', { group: 'south', lux: 500 }),
  ])

  it('are counted by kind and light', () => {
    expect(counts.filter(({ group }) => group === null)).toMatchObject([
      { kind: 'person', lux: 100, clips: 2, performed: 1, notPerformed: 0, cannotTell: 1 },
      { kind: 'person', lux: 5000, clips: 1, performed: 1 },
      { kind: 'flat print', lux: 100, clips: 1, performed: 0, notPerformed: 1 },
      { kind: 'person', lux: 500, clips: 1, performed: 1 },
    ])
  })

  it('of people are counted by group in light in which they are to be told', () => {
    expect(counts.filter(({ group }) => group !== null)).toMatchObject([
      { group: 'north', clips: 2, performed: 1 },
      { group: 'south', clips: 1, performed: 1 },
    ])
  })

  it('are printed with the interval of those that performed', () => {
    expect(challengeText(counts)).toContain('| colours | person | 100 | 1 of 2 (9.5 % to 90.5 %) | 0 | 1 |')
  })
})
