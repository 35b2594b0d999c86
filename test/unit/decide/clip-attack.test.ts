import { describe, expect, it } from 'vitest'
import type { ClipFindings } from '../../../src/assess/assessment.ts'
import type { DecidedMedium } from '../../../src/decide/analysis.ts'
import { askedGesture, clipAttack, taggedGesture } from '../../../src/decide/clip-attack.ts'
import { decideQuality } from '../../../src/decide/quality.ts'
import { identityFailure, templateFailure } from '../../../src/decide/sample.ts'
import { findGestures } from '../../../src/vision/clip/gestures.ts'
import { axisTemplate, madeUpAssessment } from '../../fixtures/assessments.ts'

const findings = (change: number | null, distance: number | null = null): ClipFindings => ({
  ...{ frames: 50, framesWithoutFace: 0, repeatedShare: 0, timing: null, change },
  identity: { frames: 10, facing: 10, agreeing: 10, distance },
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
    const scores = steps.map((step) => clipAttack(findings(null, 10 * (step - 1))).swap!)
    expect(isRising(scores)).toBe(true)
    expect(scores[0]).toBeLessThan(0.01)
    expect(scores[20]).toBeCloseTo(0.5, 6)
    expect(scores.at(-1)).toBeGreaterThan(0.99)
  })

  it('is nothing where nothing can be told', () => {
    expect(clipAttack(findings(null, null))).toEqual({ flat: null, swap: null })
  })

  it.each([
    ['frames', 0.9, 1, -9, 0.9],
    ['movement', 0.1, 0, -9, 1],
    ['identity', 0.1, 1, 9, 1],
    ['nothing', 0.1, 1, -9, 0.1],
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

describe('who a clip shows', () => {
  const decided = (identity: ClipFindings['identity']) => {
    const assessment = {
      ...madeUpAssessment({ attack: 0.1, vector: axisTemplate(1) }),
      clip: { ...findings(1), identity },
    }
    return [identityFailure, (medium: DecidedMedium) => templateFailure(medium, 'record')].map(
      (failureOf) => failureOf({ id: 'a', tags: [], assessment })?.code ?? null,
    )
  }
  const clip = (frames: number, facing: number, agreeing: number) => ({
    frames,
    facing,
    agreeing,
    distance: -5,
  })

  it.each([
    ['all of its frames', clip(12, 12, 12), null],
    ['most of them, the others turned', clip(12, 6, 6), null],
    ['a single one among turned ones', clip(12, 1, 1), 3007],
    ['three among turned ones', clip(12, 3, 3), 3007],
    ['five that agree and six that do not', clip(12, 11, 5), 3007],
    ['none', clip(12, 0, 0), 3007],
    ['a single turned one', clip(1, 0, 0), 3007],
    ['both of two', clip(2, 2, 2), null],
    ['one of two', clip(2, 2, 1), 3007],
  ])('is told by %s', (_, identity, code) => {
    expect(decided(identity)).toEqual([code, code])
  })

  it('is no question where nobody asked', () => {
    expect(decided(null)).toEqual([null, null])
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
