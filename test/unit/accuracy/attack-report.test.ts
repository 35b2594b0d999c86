import { expect, it } from 'vitest'
import { type AttackRow, attackReport, attackText } from '../../../tools/accuracy/attack-report.ts'

const row = (
  format: AttackRow['format'],
  outcome: AttackRow['outcome'],
  rest: Partial<AttackRow>,
): AttackRow => ({
  name: 'a',
  species: 'held',
  animation: 'held',
  format,
  outcome,
  reason: null,
  pad: 0.1,
  attack: 0.1,
  own: null,
  view: null,
  tilt: null,
  tells: 'nothing',
  recurrence: null,
  identityDistance: null,
  repeatedShare: null,
  ...rest,
})

it('counts by attack, encoding and answer, as a table that documents can show', () => {
  const rows = [
    row('zip', 'passed', {}),
    row('zip', 'declined', { pad: 0.9 }),
    row('mp4', 'declined', { tells: 'flat' }),
    row('mp4', 'failed', { reason: '3006', pad: null, tells: null }),
  ]
  expect(attackText(attackReport(rows, 0.5)).split('\n').at(-1)).toBe(
    '| held | 1 of 2 | 0 of 1 | 2 of 3 | nothing 2, flat 1 | 3006 1 |',
  )
})
