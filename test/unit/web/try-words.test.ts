import { describe, expect, it } from 'vitest'
import type { Analysis, CheckAnswer } from '../../../web/try/answer.ts'
import { livenessVerdict } from '../../../web/try/words.ts'

function verdictFor(score: number, threshold: number) {
  const analysis = {
    ...{ type: 'QUALITY', resolution: 'SUCCESS', technical_meta_data: {} },
    ...{ results_data: { confidence_spoofing: score }, confs: { threshold_spoofing: threshold } },
  } as unknown as Analysis
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
    const { tone, ...shown } = verdictFor(score, threshold)
    expect([shown.title, tone]).toEqual([title, title === 'A live person' ? 'good' : 'open'])
  })

  it('names the score and the threshold that it is near to', () => {
    const { text } = verdictFor(0.462, 0.5)
    expect(text).toContain('0.462')
    expect(text).toContain('0.5,')
  })
})
