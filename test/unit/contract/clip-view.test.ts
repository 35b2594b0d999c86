/** Clips in answers, including those from records of earlier releases. */
import { describe, expect, it } from 'vitest'
import { clipView } from '../../../src/contract/full/media-view.ts'
import type { ClipEvidence } from '../../../src/records/medium.ts'

const base = { frames: 24, framesWithoutFace: 1, framesTurned: 0, repeatedShare: 0.123456 }
const shown = { frames: 24, frames_without_face: 1, repeated_frames: 0.1235 }
const timing = { declaredS: 2.123456, sameTime: 0, backSteps: 0, fastestRate: 29.9712 }
const shownTiming = { declared_duration: 2.1235, same_time: 0, back_steps: 0, fastest_FPS: 29.97 }
const identity = { frames: 9, facing: 8, agreeing: 7, distance: -4.123456 }
const shownIdentity = { frames: 9, facing: 8, agreeing: 7, normalised_distance: -4.1235 }

/** As earlier releases stored it. */
const stored = (evidence: object): ClipEvidence => evidence as ClipEvidence

describe('a clip of an earlier release', () => {
  it('a record with face change and one distance shows neither movement nor identity', () => {
    expect(clipView(stored({ ...base, change: 0.4, identityDistance: 0.3 }))).toEqual({
      ...shown,
      movement: { status: 'unknown' },
      identity: null,
    })
  })

  it('a record with times shows them', () => {
    expect(clipView(stored({ ...base, change: null, identityDistance: null, timing }))).toEqual({
      ...shown,
      movement: { status: 'unknown' },
      identity: null,
      timing: shownTiming,
    })
  })

  it('a record with identity but no movement shows the identity', () => {
    expect(clipView(stored({ ...base, change: 0.4, identity, timing: null }))).toEqual({
      ...shown,
      movement: { status: 'unknown' },
      identity: shownIdentity,
    })
  })
})

describe('a clip of this release', () => {
  it.each(['too_small', 'too_few'] as const)('a clip with movement %s shows that status', (status) => {
    expect(clipView({ ...base, movement: { status }, identity: null, timing: null })).toEqual({
      ...shown,
      movement: { status },
      identity: null,
    })
  })

  it('shows what was measured, rounded', () => {
    const movement = {
      status: 'measured' as const,
      frames: 40,
      own: 0.512345,
      uncut: 0.456789,
      view: 0.2,
      tilt: 0.01,
      recurrence: null,
      jumpRecurrence: 0.123456,
      remainder: 0.4,
      blendRemainder: 0.765432,
      light: 0.03,
    }
    const unsure = { ...identity, distance: null }
    expect(clipView({ ...base, movement, identity: unsure, timing })).toMatchObject({
      movement: {
        status: 'measured',
        tells: 'alive',
        frames: 40,
        own: 0.5123,
        uncut: 0.4568,
        view: 0.2,
        tilt: 0.01,
        recurrence: null,
        jump_recurrence: 0.1235,
        remainder: 0.4,
        blend_remainder: 0.7654,
        light: 0.03,
      },
      identity: { ...shownIdentity, normalised_distance: null },
      timing: shownTiming,
    })
  })
})
