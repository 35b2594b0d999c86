import { describe, expect, it } from 'vitest'
import { reasonTexts } from '../../../src/decide/reasons.ts'
import type { Analysis, CheckAnswer } from '../../../web/try/answer.ts'
import { liteReasons } from '../../../web/try/refused-sample.ts'
import { livenessVerdict, matchVerdict } from '../../../web/try/words.ts'

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

describe('a comparison', () => {
  const media = [
    { media_id: 'a', tags: ['photo_selfie'] },
    { media_id: 'b', tags: ['photo_id_front'] },
  ]
  const textFor = (resolution: string, faces: readonly number[], reasons: readonly object[] = []) => {
    const samples = faces.map((count, index) => ({ media_id: media[index]!.media_id, faces: count }))
    const analysis = {
      ...{ type: 'BIOMETRY', resolution, source_media: media, technical_meta_data: { samples, reasons } },
    } as unknown as Analysis
    return matchVerdict({
      ...{ folder: { media: [], analyses: [analysis] }, match: null },
    } as unknown as CheckAnswer)?.text
  }
  const reason = (code: keyof typeof reasonTexts, ids: readonly string[]) => ({
    ...{ code, message: reasonTexts[code].message, advice: reasonTexts[code].advice, media_ids: ids },
  })

  it('says in which picture no face was found', () => {
    expect(textFor('FAILED', [1, 0], [reason('no_face', ['b'])])).toMatch(/^ID: No face was found\. Take/)
    expect(textFor('FAILED', [0, 1], [reason('no_face', ['a'])])).toMatch(/^Selfie: No face/)
    expect(textFor('FAILED', [1, 1], [reason('timed_out', ['a', 'b'])])).toMatch(/^The analysis/)
  })

  it('says how many faces there are where one was expected', () => {
    expect(textFor('FAILED', [5, 1], [reason('several_faces', ['a'])])).toBe(
      'Selfie: More than one face was found. Faces found: 5. Take a picture of one person alone.',
    )
  })

  it('says that an ID shows more faces than the one that was compared', () => {
    expect(textFor('DECLINED', [1, 4])).toContain('The ID shows 4 faces: the largest was compared.')
    expect(textFor('SUCCESS', [1, 1])).not.toContain('largest')
  })
})

it.each(Object.values(liteReasons))('the reason $code is told as on Instant', ({ code, ...texts }) => {
  expect(reasonTexts[code]).toMatchObject(texts)
})
