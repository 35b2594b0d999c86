import { describe, expect, it } from 'vitest'
import type { AssessmentRequest } from '../../../src/assess/assessment.ts'
import { covers, type KeptFindings } from '../../../src/storage/folders/findings.ts'
import { madeUpAssessment, madeUpClip } from '../../fixtures/assessments.ts'

describe('findings of a clip', () => {
  const wanted: AssessmentRequest = { faces: true, template: false, pad: false, bestShot: false }
  const smiling: AssessmentRequest = { ...wanted, actionShot: 'smile' }
  const kept = (change: Partial<KeptFindings>): KeptFindings => ({
    mediumId: 'a',
    found: { ...madeUpAssessment(), clip: madeUpClip },
    bestShot: null,
    actionShot: null,
    actionGesture: null,
    ...change,
  })

  it('cover the action shot once it was looked for, also if the gesture was not found', () => {
    expect(covers(kept({}), smiling)).toBe(false)
    expect(covers(kept({}), wanted)).toBe(true)
    expect(covers(kept({ actionGesture: 'smile' }), smiling)).toBe(true)
  })

  it('cover the action shot that they have', () => {
    const facts = { md5: '00', size: 1, width: 1, height: 1, mimeType: 'image/jpeg' }
    expect(covers(kept({ actionShot: facts }), smiling)).toBe(true)
  })
})

describe('findings of a document', () => {
  const wanted: AssessmentRequest = {
    faces: true,
    template: false,
    pad: false,
    bestShot: false,
    portrait: true,
    document: { page: true },
  }
  const facts = { md5: '00', size: 1, width: 1, height: 1, mimeType: 'image/jpeg' }
  const kept = (document: object, change: Partial<KeptFindings> = {}): KeptFindings => ({
    mediumId: 'a',
    found: { ...madeUpAssessment(), ...document },
    bestShot: null,
    actionShot: null,
    actionGesture: null,
    portrait: facts,
    ...change,
  })

  it('cover an analysis of documents once the text was looked for', () => {
    expect(covers(kept({}), wanted)).toBe(false)
    expect(covers(kept({ document: null }), wanted)).toBe(true)
    expect(covers(kept({}), { ...wanted, document: undefined } as never)).toBe(true)
  })

  it('without a face have no portrait, but a text', () => {
    const faceless = { faces: [], subject: null }
    expect(covers(kept({ ...faceless, document: null }, { portrait: null }), wanted)).toBe(true)
    expect(covers(kept(faceless, { portrait: null }), wanted)).toBe(false)
    expect(covers(kept({ document: null }, { portrait: null }), wanted)).toBe(false)
  })
})
