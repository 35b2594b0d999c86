import { describe, expect, it } from 'vitest'
import type { DetectedFace } from '../../../src/vision/face.ts'
import { eyeDistance, eyeLineAngle, type FaceMesh, meshIndex } from '../../../src/vision/facemesh.ts'
import { boxCentre, distance } from '../../../src/vision/geometry.ts'
import { fitTiltedFace, openLandmarkMethod } from '../../../src/vision/landmarks.ts'
import { detectPortrait, engine, profile } from '../../fixtures/networks.ts'

const landmarks = openLandmarkMethod(engine, profile.landmarks)
const degrees = Math.PI / 180

/** The face as a detector reports it that takes heads for tilted by an angle. */
function tiltedBy(face: DetectedFace, angle: number): DetectedFace {
  const { x, y } = boxCentre(face.box)
  const reach = face.box.width / 5
  const [dx, dy] = [reach * Math.cos(angle), reach * Math.sin(angle)]
  const keypoints = {
    ...face.keypoints,
    rightEye: { x: x - dx, y: y - dy },
    leftEye: { x: x + dx, y: y + dy },
  }
  return { ...face, keypoints }
}

/** Mean distance between the points of two meshes, in eye distances. */
const difference = (one: FaceMesh, other: FaceMesh): number =>
  one.points.reduce((sum, point, i) => sum + distance(point, other.points[i]!), 0) /
  one.points.length /
  eyeDistance(other)

describe('the mesh of a tilted head', () => {
  it.each([0, 80])('does not depend on a detector that reports a tilt of %i°', async (reported) => {
    const { pyramid, face } = await detectPortrait('redheadAgain')
    const exact = await landmarks(pyramid, tiltedBy(face, 44.5 * degrees))
    const seen = tiltedBy(face, reported * degrees)
    expect(difference(await landmarks(pyramid, seen), exact)).toBeGreaterThan(0.08)
    const mesh = await fitTiltedFace(landmarks, pyramid, seen)
    expect(difference(mesh, exact)).toBeLessThan(0.04)
    const { rightEyeOuter, leftEyeOuter } = meshIndex
    const tilt = eyeLineAngle(mesh.points[rightEyeOuter]!, mesh.points[leftEyeOuter]!)
    expect(tilt / degrees).toBeCloseTo(44.5, -0.7)
  })
})

it('an upright face is fitted once', async () => {
  const { pyramid, face } = await detectPortrait('smiling')
  let fits = 0
  const counted = (...args: Parameters<typeof landmarks>) => {
    fits++
    return landmarks(...args)
  }
  const mesh = await fitTiltedFace(counted, pyramid, face)
  expect(fits).toBe(1)
  expect(mesh).toEqual(await landmarks(pyramid, face))
})

it('fits end where there is no face', async () => {
  const { pyramid, face } = await detectPortrait('smiling')
  let fits = 0
  const lost = async (...args: Parameters<typeof landmarks>) => {
    fits++
    return { ...(await landmarks(...args)), presence: 0 }
  }
  await fitTiltedFace(lost, pyramid, tiltedBy(face, 1))
  expect(fits).toBe(1)
})

it('a mesh is kept if another fit loses the face', async () => {
  const { pyramid, face } = await detectPortrait('redheadAgain')
  const seen = tiltedBy(face, 0)
  const first = await landmarks(pyramid, seen)
  const losing = async (...args: Parameters<typeof landmarks>) =>
    args[1] === seen ? first : { ...(await landmarks(...args)), presence: 0.1 }
  expect(await fitTiltedFace(losing, pyramid, seen)).toBe(first)
})
