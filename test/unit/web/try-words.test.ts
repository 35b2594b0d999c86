import { describe, expect, it } from 'vitest'
import type { Analysis, CheckAnswer } from '../../../web/try/answer.ts'
import { livenessVerdict } from '../../../web/try/words.ts'

function verdictFor(confs: Record<string, number>) {
  const analysis = { type: 'QUALITY', resolution: 'SUCCESS', confs, technical_meta_data: {} } as Analysis
  return livenessVerdict({ folder: { media: [], analyses: [analysis] } } as unknown as CheckAnswer)
}

describe('the verdict on a selfie that passes', () => {
  it.each([
    [0.004, 0.5, 'A live person'],
    [0.399, 0.5, 'A live person'],
    [0.401, 0.5, 'Barely a live person'],
    [0.462, 0.5, 'Barely a live person'],
    [0.462, 0.7, 'A live person'],
  ])('for a score of %s where %s would not pass: %s', (score, threshold, title) => {
    const { tone, ...shown } = verdictFor({ confidence_spoofing: score, threshold_spoofing: threshold })
    expect([shown.title, tone]).toEqual([title, title === 'A live person' ? 'good' : 'open'])
  })

  it('names the score and the threshold that it is near to', () => {
    const { text } = verdictFor({ confidence_spoofing: 0.462, threshold_spoofing: 0.5 })
    expect(text).toContain('0.462')
    expect(text).toContain('0.5,')
  })
})
