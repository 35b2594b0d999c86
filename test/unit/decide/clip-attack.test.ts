import { describe, expect, it } from 'vitest'
import { decideLiveness } from '../../../src/analyses/liveness/decide.ts'
import type { ClipFindings, MovementFindings } from '../../../src/assess/assessment.ts'
import type { DecidedMedium } from '../../../src/decide/analysis.ts'
import {
  classifyMovement,
  findRequestedGesture,
  findTaggedGesture,
  type MovementClass,
  scoreClipAttack,
} from '../../../src/decide/clip-attack.ts'
import { checkIdentity, checkTemplate } from '../../../src/decide/sample.ts'
import { findGestures } from '../../../src/vision/clip/gestures.ts'
import type { Movement } from '../../../src/vision/clip/movement.ts'
import { axisTemplate, madeUpAssessment } from '../../fixtures/assessments.ts'
import { usualLiveness } from '../../fixtures/liveness-parameters.ts'

const measured = (own: number, view: number, more: Partial<Movement> = {}): MovementFindings => ({
  status: 'measured',
  frames: 50,
  own,
  uncut: own,
  view,
  tilt: 0,
  recurrence: 1,
  jumpRecurrence: 1,
  remainder: own,
  blendRemainder: 1,
  light: 0.02,
  ...more,
})
const findings = (own: number, distance: number | null = null, view = 1): ClipFindings => ({
  frames: 50,
  framesWithoutFace: 0,
  framesTurned: 0,
  repeatedShare: 0,
  timing: null,
  movement: measured(own, view),
  identity: { frames: 10, facing: 10, agreeing: 10, distance },
  gestures: findGestures([]),
})

const steps = Array.from({ length: 40 }, (_, i) => i / 20)
const isRising = (values: readonly number[]) => values.every((value, i) => i === 0 || value >= values[i - 1]!)

describe('the movement of a clip', () => {
  it('scores lower as an attack the more the face moves by itself', () => {
    const scores = steps.map((own) => scoreClipAttack(findings(own)).movement!)
    expect(isRising([...scores].reverse())).toBe(true)
    expect(scores[0]).toBeGreaterThan(0.99)
    expect(scores.at(-1)).toBeLessThan(0.01)
  })

  it('scores as planar motion only if the face moves through the frame', () => {
    const scores = steps.map((view) => scoreClipAttack(findings(0.01, null, view)).movement)
    expect(scores.slice(0, 4)).toEqual([null, null, null, null])
    expect(isRising(scores.slice(5).map((score) => score!))).toBe(true)
    expect(scores.at(-1)).toBeGreaterThan(0.99)
  })

  it.each([0.1, 0.15, 0.17, 0.2, 0.5])('is no attack if the face holds its place and moves by %d', (own) => {
    const { movement } = scoreClipAttack(findings(own, null, 0))
    expect(movement ?? 0).toBeLessThan(0.01)
  })

  it('scores lower as an attack the less the face moves through the frame', () => {
    const scores = [0, 0.22, 0.26, 0.3].map((view) => scoreClipAttack(findings(0.17, null, view)).movement!)
    expect(isRising(scores)).toBe(true)
    expect(scores.at(-1)).toBeCloseTo(0.46, 2)
  })

  it.each<[string, number, number, MovementClass, Partial<Movement>?]>([
    ['alive', 0.5, 0, 'alive'],
    ['alive though it moves far', 0.5, 2, 'alive'],
    ['flat', 0.01, 1, 'flat'],
    ['nothing if the face holds still', 0.01, 0.1, 'nothing'],
    ['nothing if the face moves a little', 0.01, 0.22, 'nothing'],
    ['repeating if own movement recurs exactly', 0.5, 0, 'repeating', { recurrence: 0.01 }],
    ['repeating if pasted lids differ a little each time', 0.5, 0, 'repeating', { recurrence: 0.09 }],
    ['alive if own movement recurs approximately', 0.5, 0, 'alive', { recurrence: 0.2 }],
    [
      'alive where it moves too little to come back',
      0.5,
      0,
      'alive',
      { recurrence: null, jumpRecurrence: null },
    ],
    ['nothing if the face holds still and recurs exactly', 0.01, 0.1, 'nothing', { recurrence: 0 }],
    ['flat if the picture is only tilted', 0.01, 0.05, 'flat', { tilt: 0.04 }],
    ['nothing if the face is tilted and shows some depth', 0.08, 0.05, 'nothing', { tilt: 0.04 }],
    [
      'flat if the face is tilted and a bend explains the depth',
      0.08,
      0.05,
      'flat',
      { tilt: 0.04, remainder: 0.01 },
    ],
    ['bent if almost nothing remains without bends', 0.5, 0.1, 'bent', { remainder: 0.01 }],
    ['alive if a tenth remains without bends', 0.5, 0.1, 'alive', { remainder: 0.1 }],
    ['blended if a crossfade explains what changes', 0.5, 0.1, 'blended', { blendRemainder: 0.3 }],
    ['alive if a crossfade does not explain it', 0.5, 0.1, 'alive', { blendRemainder: 0.45 }],
    ['nothing if all that moves are cuts between photos', 0.5, 0.1, 'nothing', { uncut: 0.02 }],
    ['nothing if only a part of the clip moves a little', 0.08, 0.1, 'nothing', { uncut: 0.6 }],
    ['repeating if photos follow each other in turn', 0.5, 0.1, 'repeating', { uncut: 0, recurrence: 0.01 }],
    ['alive if too little changes for a crossfade', 0.5, 0.1, 'alive', { blendRemainder: null }],
    ['nothing if the face holds still while photos fade', 0.01, 0.1, 'nothing', { blendRemainder: 0.1 }],
    ['shaded if shadows move over a head that does not turn', 0.5, 0.05, 'shaded', { light: 0.2 }],
    ['shaded if nothing but shadows moves', 0.05, 0.05, 'shaded', { light: 0.2 }],
    ['alive if the shading changes because the head turns', 0.5, 0.5, 'alive', { light: 0.2, tilt: 0.1 }],
    ['repeating if it jumps to the same picture again', 0.5, 0, 'repeating', { jumpRecurrence: 0.0005 }],
    ['alive if lids close approximately as before', 0.5, 0, 'alive', { jumpRecurrence: 0.01 }],
  ])('tells %s', (_, own, view, word, more = {}) => {
    expect(classifyMovement(measured(own, view, more))).toBe(word)
  })

  it('scores higher for an identity switch the larger the distance between frames', () => {
    const scores = steps.map((step) => scoreClipAttack(findings(1, 10 * (step - 1))).identitySwitch!)
    expect(isRising(scores)).toBe(true)
    expect(scores[0]).toBeLessThan(0.01)
    expect(scores[20]).toBeCloseTo(0.5, 6)
    expect(scores.at(-1)).toBeGreaterThan(0.99)
  })

  it('has null scores if nothing was measured', () => {
    const movement = { status: 'too_few' } as const
    expect(scoreClipAttack({ ...findings(1), movement })).toEqual({ movement: null, identitySwitch: null })
  })

  it('is declined at the threshold for liveness if it is set', () => {
    const assessment = { ...madeUpAssessment({ attack: 0.1 }), clip: findings(1, -9) }
    const decide = (change: object) =>
      decideLiveness([{ id: 'a', tags: [], assessment }], { ...usualLiveness, ...change })
    const liveness = decide({}).media[0]!.liveness!
    const decided = (thresholdLiveness: number) => decide({ thresholdLiveness }).outcome
    expect(decided(liveness)).toEqual({ status: 'finished', decision: 'DECLINED' })
    expect(decided(liveness - 0.01)).toEqual({ status: 'finished', decision: 'SUCCESS' })
  })

  it.each([
    ['frames', 0.9, 1, -9, 0.9],
    ['movement', 0.1, 0, -9, 1],
    ['identity', 0.1, 1, 9, 1],
    ['nothing', 0.1, 1, -9, 0.1],
  ])('counts as much as the gravest: %s', (_, attack, own, distance, expected) => {
    const assessment = { ...madeUpAssessment({ attack }), clip: findings(own, distance) }
    const verdict = decideLiveness([{ id: 'a', tags: [], assessment }], usualLiveness)
    expect(verdict.worstAttack).toBeCloseTo(expected, 2)
    expect(verdict.outcome).toEqual({
      status: 'finished',
      decision: expected < 0.5 ? 'SUCCESS' : 'DECLINED',
    })
  })
})

describe('a clip whose movement is no evidence', () => {
  const decided = (movement: MovementFindings, movementRequired = false, frames = 50) => {
    const assessment = { ...madeUpAssessment({ attack: 0.1 }), clip: { ...findings(1), movement, frames } }
    const { outcome } = decideLiveness([{ id: 'a', tags: [], assessment }], {
      ...usualLiveness,
      movementRequired,
    })
    return outcome.status === 'failed' ? outcome.failure : outcome.status === 'finished' && outcome.decision
  }

  it.each([0.1, 0.21, 0.24])('has no liveness score if the face moves by %d', (view) => {
    const assessment = { ...madeUpAssessment({ attack: 0.1 }), clip: findings(0.01, null, view) }
    const { media } = decideLiveness([{ id: 'a', tags: [], assessment }], usualLiveness)
    expect(media[0]!.liveness).toBeNull()
  })

  it('is decided by its frames if the face holds still', () => {
    expect(decided(measured(0.01, 0.1))).toBe('SUCCESS')
  })

  it('fails instead of being declined if movement is required', () => {
    expect(decided(measured(0.01, 0.1), true)).toMatchObject({ code: 3006 })
    expect(decided(measured(0.5, 0.1), true)).toBe('SUCCESS')
    expect(decided(measured(0.01, 1), true)).toBe('DECLINED')
  })

  it('a photo fails if movement is required, although nothing else is wrong with it', () => {
    const assessment = madeUpAssessment({ attack: 0.1 })
    const decide = (movementRequired: boolean, tags: string[] = []) =>
      decideLiveness([{ id: 'a', tags, assessment }], { ...usualLiveness, movementRequired }).outcome
    const message = expect.stringMatching(/send a clip/)
    const failure = { code: 3006, mediumId: 'a', message, reasons: ['photo_not_clip'] }
    expect(decide(true)).toEqual({ status: 'failed', failure })
    expect(decide(true, ['video_selfie_oneshot'])).toEqual({ status: 'failed', failure })
    expect(decide(false)).toEqual({ status: 'finished', decision: 'SUCCESS' })
  })

  it('says how small the face is', () => {
    expect(decided({ status: 'too_small', eyesApart: 21.7 })).toMatchObject({
      code: 3006,
      message: expect.stringMatching(/21 px apart .* at least 38 px/),
    })
  })

  it.each<[MovementFindings, RegExp]>([
    [{ status: 'too_small', eyesApart: 21.7 }, /closer/],
    [{ status: 'too_few' }, /keep it in the picture/],
  ])('fails and says what to do where it is %o', (movement, advice) => {
    expect(decided(movement)).toMatchObject({ code: 3006, message: expect.stringMatching(advice) })
  })
})

describe('a clip that shows too little of the face', () => {
  const decided = (clip: Partial<ClipFindings>) => {
    const assessment = { ...madeUpAssessment({ attack: 0.1 }), clip: { ...findings(1), ...clip } }
    const { outcome } = decideLiveness([{ id: 'a', tags: [], assessment }], usualLiveness)
    return outcome.status === 'failed' ? outcome.failure : outcome.status === 'finished' && outcome.decision
  }
  const timing = { declaredS: 1, sameTime: 0, backSteps: 0, fastestRate: 25 }

  it.each([2, 3, 4])('fails with %i frames, with the required number in the message', (frames) => {
    const movement = { status: 'too_few' } as const
    const message = expect.stringMatching(/at least 5 frames/)
    const failure = { code: 3006, mediumId: 'a', message, reasons: ['too_few_frames'] }
    expect(decided({ frames, movement })).toEqual(failure)
  })

  it('fails with a single frame of a video', () => {
    expect(decided({ frames: 1, timing, movement: { status: 'too_few' } })).toMatchObject({ code: 3006 })
  })

  it.each([
    [50, 25, 'SUCCESS'],
    [50, 26, { code: 3006, message: expect.stringMatching(/keep it in the picture/) }],
    [100, 95, { code: 3006 }],
  ])('of %i frames, %i of them without the face', (frames, framesWithoutFace, expected) => {
    const found = decided({ frames, framesWithoutFace })
    if (typeof expected === 'string') expect(found).toBe(expected)
    else expect(found).toMatchObject(expected)
  })
})

describe('the identity of a clip', () => {
  const decided = (identity: ClipFindings['identity']) => {
    const assessment = {
      ...madeUpAssessment({ attack: 0.1, vector: axisTemplate(1) }),
      clip: { ...findings(1), identity },
    }
    return [checkIdentity, (medium: DecidedMedium) => checkTemplate(medium, 'record')].map(
      (failureOf) => failureOf({ id: 'a', tags: [], assessment })?.code ?? null,
    )
  }
  const clip = (frames: number, facing: number, agreeing: number) => ({
    frames,
    facing,
    agreeing,
    distance: -5,
  })

  it('requires most frames to be frontal, also those that are no key frames', () => {
    const failure = (framesTurned: number) => {
      const clipped = { ...findings(1), framesTurned, identity: clip(12, 12, 12) }
      const assessment = { ...madeUpAssessment({ attack: 0.1 }), clip: clipped }
      return checkIdentity({ id: 'a', tags: [], assessment })?.code ?? null
    }
    expect([failure(0), failure(25), failure(26)]).toEqual([null, null, 3007])
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

  it('is not checked if it was not requested', () => {
    expect(decided(null)).toEqual([null, null])
  })
})

describe('the gesture requested by tags', () => {
  it.each([
    [['video_selfie', 'video_selfie_left', 'orientation_portrait'], 'left'],
    [['video_selfie_zoom_in'], 'zoom_in'],
    [['video_selfie'], null],
    [['video_selfie_dance'], null],
    [['left'], null],
    [[], null],
  ])('%j: %s', (tags, gesture) => {
    expect(findTaggedGesture(tags)).toBe(gesture)
  })

  it.each([
    ['left', false],
    ['smile', false],
    ['zoom_in', false],
    ['blank', true],
    ['oneshot', true],
  ])('%s is performed by a photo: %s', (name, isPerformed) => {
    const score = isPerformed ? 1 : 0
    expect(findRequestedGesture([`video_selfie_${name}`], null)).toEqual({
      name,
      isPerformed,
      score,
      timeS: null,
    })
  })

  it('declines a photo, which cannot perform it, if gestures are required', () => {
    const medium = { id: 'a', tags: ['video_selfie_smile'], assessment: madeUpAssessment({ attack: 0.1 }) }
    const decided = (gestureRequired: boolean) =>
      decideLiveness([medium], { ...usualLiveness, gestureRequired }).outcome
    expect(decided(true)).toEqual({ status: 'finished', decision: 'DECLINED' })
    expect(decided(false)).toEqual({ status: 'finished', decision: 'SUCCESS' })
  })

  it('is evaluated for clips', () => {
    expect(findRequestedGesture([], findings(1))).toBeNull()
    expect(findRequestedGesture(['video_selfie_left'], findings(1))).toMatchObject({
      name: 'left',
      isPerformed: false,
    })
  })
})
