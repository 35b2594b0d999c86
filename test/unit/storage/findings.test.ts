import { describe, expect, it } from 'vitest'
import type { AssessmentRequest, ClipFindings } from '../../../src/assess/assessment.ts'
import { covers, type KeptFindings } from '../../../src/storage/folders/findings.ts'
import { madeUpAssessment } from '../../fixtures/assessments.ts'

describe('findings of a clip', () => {
  const wanted: AssessmentRequest = { faces: true, template: false, pad: false, bestShot: false }
  const kept = (change: Partial<KeptFindings>): KeptFindings => ({
    mediumId: 'a',
    found: { ...madeUpAssessment(), clip: {} as ClipFindings },
    bestShot: null,
    actionShot: null,
    actionGesture: null,
    ...change,
  })

  it('cover the action shot of the gesture that it was looked for, and of no other', () => {
    const smiled = kept({ actionGesture: 'smile' })
    expect(covers(smiled, { ...wanted, actionShot: 'smile' })).toBe(true)
    expect(covers(smiled, { ...wanted, actionShot: 'left' })).toBe(false)
    expect(covers(smiled, wanted)).toBe(true)
  })

  it('cover no action shot whose gesture is unknown, as in rows of earlier releases', () => {
    const facts = { md5: '00', size: 1, width: 1, height: 1, mimeType: 'image/jpeg' }
    expect(covers(kept({ actionShot: facts }), { ...wanted, actionShot: 'smile' })).toBe(false)
  })
})
