import { describe, expect, it } from 'vitest'
import type { ClipFindings } from '../../../src/assess/assessment.ts'
import { askedGesture, clipAttack, taggedGesture } from '../../../src/decide/clip-attack.ts'
import { decideQuality } from '../../../src/decide/quality.ts'
import { findGestures } from '../../../src/vision/clip/gestures.ts'
import { madeUpAssessment } from '../../fixtures/assessments.ts'

const findings = (change: number | null, identityDistance: number | null = null): ClipFindings => ({
  ...{ frames: 50, framesWithoutFace: 0, repeatedShare: 0, timing: null, change, identityDistance },
  gestures: findGestures([]),
})

const steps = Array.from({ length: 40 }, (_, i) => i / 20)
const isRising = (values: readonly number[]) => values.every((value, i) => i === 0 || value >= values[i - 1]!)

describe('what a clip shows beyond its frames', () => {
  it('is the less flat the more the face changes', () => {
    const scores = steps.map((change) => clipAttack(findings(change)).flat!)
    expect(isRising([...scores].reverse())).toBe(true)
    expect(scores[0]).toBeGreaterThan(0.99)
    expect(scores.at(-1)).toBeLessThan(0.01)
  })

  it('is the more exchanged the further its looks are apart', () => {
    const scores = steps.map((distance) => clipAttack(findings(null, distance)).swap!)
    expect(isRising(scores)).toBe(true)
    expect(scores[0]).toBeLessThan(0.01)
    expect(scores.at(-1)).toBeGreaterThan(0.99)
  })

  it('is nothing where nothing can be told', () => {
    expect(clipAttack(findings(null, null))).toEqual({ flat: null, swap: null })
  })

  it.each([
    ['frames', 0.9, 1, 0.1, 0.9],
    ['movement', 0.1, 0, 0.1, 1],
    ['identity', 0.1, 1, 1.2, 1],
    ['nothing', 0.1, 1, 0.1, 0.1],
  ])('counts as much as the gravest: %s', (_, attack, change, distance, expected) => {
    const assessment = { ...madeUpAssessment({ attack }), clip: findings(change, distance) }
    const verdict = decideQuality([{ id: 'a', tags: [], assessment }], {
      thresholdSpoofing: 0.5,
      extractBestShot: false,
      extractActionShot: false,
      gestureRequired: false,
      gate: 'record',
    })
    expect(verdict.worstAttack).toBeCloseTo(expected, 2)
    expect(verdict.outcome).toEqual({
      status: 'finished',
      decision: expected < 0.5 ? 'SUCCESS' : 'DECLINED',
    })
  })
})

describe('the gesture that tags ask for', () => {
  it.each([
    [['video_selfie', 'video_selfie_left', 'orientation_portrait'], 'left'],
    [['video_selfie_zoom_in'], 'zoom_in'],
    [['video_selfie'], null],
    [['video_selfie_dance'], null],
    [['left'], null],
    [[], null],
  ])('%j: %s', (tags, gesture) => {
    expect(taggedGesture(tags)).toBe(gesture)
  })

  it('is asked of clips alone', () => {
    expect(askedGesture(['video_selfie_left'], null)).toBeNull()
    expect(askedGesture(['video_selfie_left'], findings(1))).toMatchObject({
      name: 'left',
      isPerformed: false,
    })
  })
})
