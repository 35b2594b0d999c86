import { describe, expect, it } from 'vitest'
import type { SampleDetail } from '../../../../src/assess/assessment.ts'
import {
  type CodedFindings,
  decodeFindings,
  encodeFindings,
} from '../../../../src/storage/codec/findings-codec.ts'
import {
  axisTemplate,
  madeUpClip as clip,
  faceIn,
  madeUpAssessment,
  madeUpChallengeRecords,
} from '../../../fixtures/assessments.ts'
import { readingOf } from '../../../fixtures/document-readings.ts'

const picture = { md5: '00', size: 1, width: 2, height: 3, mimeType: 'image/jpeg' }
const lines = [
  ...['faceOval', 'rightEye', 'leftEye', 'rightBrow', 'leftBrow'],
  ...['noseBridge', 'noseBase', 'lips', 'mouth'],
]
const eyes = { right: { x: 0.4, y: 0.45 }, left: { x: 0.6, y: 0.5 } }
const box = { x: 1, y: 2, width: 3, height: 4 }
const detail: SampleDetail = {
  ...{ width: 640, height: 480, timeS: 0.5, faces: [faceIn(box)] },
  outline: Object.fromEntries(
    lines.map((line) => [line, [{ x: 1, y: 2 }]]),
  ) as unknown as SampleDetail['outline'],
  pad: {
    views: [{ view: 'minifasnet-v2', live: 0.9, replay: null, weight: 1 }],
    ...{ bias: -1, softness: 0.5, reliability: 1 },
  },
  frames: [
    {
      timeS: 0,
      face: { box, yaw: 1, pitch: 2, eyeOpenness: 0.3, mouthWidth: 0.4 },
      key: { sharpness: 0.1, shot: 0.2, attack: null, distance: -1 },
    },
    { timeS: 0.1, face: null, key: null },
  ],
}

const kept = (change: Partial<CodedFindings['found']> = {}): CodedFindings => {
  const { quarterTurns, faces, subject, print } = madeUpAssessment({ attack: 0.25, vector: axisTemplate(3) })
  return {
    found: { quarterTurns, faces, subject, clip: null, print, ...change },
    bestShot: picture,
    actionShot: { ...picture, thumbnail: picture },
    actionGesture: 'smile',
    portrait: null,
  }
}

describe('stored findings', () => {
  it.each<[string, CodedFindings]>([
    ['a photo', kept({ print: [1.25, 255, 0] })],
    ['a face whose eyes are known', kept({ subject: { ...kept().found.subject!, eyes } })],
    ['a clip with detail', kept({ clip, detail })],
    ['a clip with what challenges are measured on', kept({ clip: { ...clip, ...madeUpChallengeRecords } })],
    [
      'a clip whose face is too small',
      kept({ clip: { ...clip, movement: { status: 'too_small', eyesApart: 9 } } }),
    ],
    [
      'a clip with too few frames',
      kept({ clip: { ...clip, movement: { status: 'too_few' }, timing: null } }),
    ],
    ['a document', { ...kept({ document: readingOf({}) }), portrait: picture }],
    ['a picture without a face', kept({ faces: [], subject: null, document: null })],
  ])('of %s are read as they were written', (_, findings) => {
    expect(decodeFindings(encodeFindings(findings))).toEqual(findings)
  })

  it('have their version, and the vector of the template apart', () => {
    const { found, template } = encodeFindings(kept())
    expect(JSON.parse(found)).toMatchObject({ version: 1, subject: { template: { status: 'extracted' } } })
    expect(JSON.parse(found).subject.template.template).toEqual({ modelId: expect.any(String) })
    expect(template).toEqual(axisTemplate(3))
    expect(decodeFindings({ found, template: null })!.found.subject!.template).toEqual({ status: 'not_run' })
  })

  it('have no member that their form does not name', () => {
    const findings = kept()
    const more = { ...findings, found: { ...findings.found, faces: [{ ...faceIn(box), news: 1 }], news: 2 } }
    expect(encodeFindings(more).found).not.toContain('news')
  })

  it('keep a measure that is no number', () => {
    const findings = kept({ clip: { ...clip, repeatedShare: Number.NaN } })
    expect(decodeFindings(encodeFindings(findings))!.found.clip!.repeatedShare).toBeNaN()
  })

  it.each([
    ['no JSON', () => '{"version":1,'],
    ['another value', () => '[]'],
    ['another version', (found: string) => found.replace('"version":1', '"version":2')],
    ['a part that is missing', (found: string) => found.replace('"quarterTurns"', '"turns"')],
    ['a count that is missing', (found: string) => found.replace(/"frames":\d+/, '"frames":null')],
    ['an attack score that is missing', (found: string) => found.replace(/"attack":[\d.]+/, '"attack":null')],
    ['a quality that is missing', (found: string) => found.replace(/"sharpness":[\d.]+/, '"sharpness":null')],
    ['a word of another type', (found: string) => found.replace('"status":"assessed"', '"status":"guessed"')],
  ])('are no findings if they are %s', (_, damage) => {
    const { found, template } = encodeFindings(kept({ clip }))
    expect(damage(found)).not.toBe(found)
    expect(decodeFindings({ found: damage(found), template })).toBeNull()
  })
})
