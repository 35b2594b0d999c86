/** The pose of synthetic heads, turned by known angles. */
import { describe, expect, it } from 'vitest'
import { estimateHeadPose } from '../../../src/vision/pose.ts'
import { madeUpMesh } from '../../fixtures/made-up-mesh.ts'

describe('the pose of a head', () => {
  it('is zero if it looks into the camera', () => {
    const { yaw, pitch, roll } = estimateHeadPose(madeUpMesh())
    expect(Math.abs(yaw)).toBeLessThan(1e-9)
    expect(Math.abs(pitch)).toBeLessThan(1e-9)
    expect(Math.abs(roll)).toBeLessThan(1e-9)
  })

  it.each([
    ['to the subject’s left', { yaw: 25 }],
    ['to the subject’s right', { yaw: -40 }],
    ['up', { pitch: 20 }],
    ['down', { pitch: -30 }],
    ['towards the left shoulder', { roll: 35 }],
    ['towards the right shoulder', { roll: -80 }],
  ])('that is turned %s is that angle alone: %j', (_, turned) => {
    const expected = { yaw: 0, pitch: 0, roll: 0, ...turned }
    const found = estimateHeadPose(madeUpMesh({ turned }))
    for (const axis of ['yaw', 'pitch', 'roll'] as const) expect(found[axis]).toBeCloseTo(expected[axis], 6)
  })

  it('does not depend on position and size of the face', () => {
    const turned = { yaw: 15, roll: 10 }
    const near = estimateHeadPose(madeUpMesh({ turned, side: 400, centre: { x: 900, y: 20 } }))
    const far = estimateHeadPose(madeUpMesh({ turned, side: 30 }))
    for (const axis of ['yaw', 'pitch', 'roll'] as const) expect(near[axis]).toBeCloseTo(far[axis], 6)
  })
})
