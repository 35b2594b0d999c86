/** Clips in answers. */
import { describe, expect, it } from 'vitest'
import { clipView } from '../../../src/contract/full/media-view.ts'

const base = { frames: 24, framesWithoutFace: 1, framesTurned: 0, repeatedShare: 0.123456 }
const shown = { frames: 24, frames_without_face: 1, repeated_frames: 0.1235 }
const timing = { declaredS: 2.123456, sameTime: 0, backSteps: 0, fastestRate: 29.9712 }
const shownTiming = { declared_duration: 2.1235, same_time: 0, back_steps: 0, fastest_FPS: 29.97 }
const identity = { frames: 9, facing: 8, agreeing: 7, distance: -4.123456 }
const shownIdentity = { frames: 9, facing: 8, agreeing: 7, normalised_distance: -4.1235 }

describe('a clip', () => {
  it.each([{ status: 'too_small', eyesApart: 20 }, { status: 'too_few' }] as const)(
    'with movement $status shows that status',
    (movement) => {
      expect(clipView({ ...base, movement, identity: null, timing: null })).toEqual({
        ...shown,
        movement: { status: movement.status },
        identity: null,
      })
    },
  )

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
