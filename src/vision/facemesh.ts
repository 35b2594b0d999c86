import type { Engine } from '../inference/engine.ts'
import type { DetectedFace } from './face.ts'
import { boxCentre, distance, type Point, type Similarity, similarityMap, transform } from './geometry.ts'
import type { Pyramid } from './pyramid.ts'
import { warpToTensor } from './resample.ts'

const side = 192
const pointCount = 468
/** Side of the square crop, in longer sides of the face's box (MediaPipe's face landmark graph). */
const boxScale = 1.5

/** A mesh point in image pixels, with depth in the same unit (smaller is nearer to the camera). */
export interface MeshPoint extends Point {
  z: number
}

export interface FaceMesh {
  /** 468 points in MediaPipe's canonical order. */
  points: readonly MeshPoint[]
  /** Confidence of the network that the crop shows a face, 0…1. */
  presence: number
}

export const moveMesh = ({ points, presence }: FaceMesh, shift: Point): FaceMesh => ({
  points: points.map(({ x, y, z }) => ({ x: x + shift.x, y: y + shift.y, z })),
  presence,
})

/** Distance between the outer corners of the eyes in pixels of the picture. */
export function eyeDistance({ points }: FaceMesh): number {
  const right = points[meshIndex.rightEyeOuter]!
  const left = points[meshIndex.leftEyeOuter]!
  return distance(left, right)
}

/** Angle between the line through the eyes and the rows of the picture, in radians. */
export function eyeLineAngle(rightEye: Point, leftEye: Point): number {
  return Math.atan2(leftEye.y - rightEye.y, leftEye.x - rightEye.x)
}

function placeCrop(face: DetectedFace): Similarity {
  const { box, keypoints } = face
  const angle = eyeLineAngle(keypoints.rightEye, keypoints.leftEye)
  const scale = (Math.max(box.width, box.height) * boxScale) / side
  const [a, b] = [Math.cos(angle) * scale, Math.sin(angle) * scale]
  const centre = boxCentre(box)
  return { a, b, tx: centre.x - (a - b) * (side / 2), ty: centre.y - (a + b) * (side / 2) }
}

/**
 * MediaPipe FaceMesh (Kartynnik et al. 2019; Apache-2.0).
 *
 * Input `[1,3,192,192]` RGB 0…1, rotated so that the eyes are level. Output `mesh` `[1,1404]`: 468 × (x, y, z) in pixels of
 * the crop; `presence` `[1,1]` after the sigmoid.
 */
export async function fitFaceMesh(engine: Engine, pyramid: Pyramid, face: DetectedFace): Promise<FaceMesh> {
  const toSource = placeCrop(face)
  const planes = warpToTensor(pyramid, similarityMap(toSource), {
    width: side,
    height: side,
    order: 'rgb',
    sampling: 'averaged',
    outside: 'border',
  })
  for (let i = 0; i < planes.length; i++) planes[i] = planes[i]! / 255
  const outputs = await engine.run('facemesh-468', { data: planes, shape: [1, 3, side, side] })
  const values = outputs.mesh!.data
  const scale = Math.hypot(toSource.a, toSource.b)
  const points = Array.from({ length: pointCount }, (_, i) => ({
    ...transform(toSource, { x: values[i * 3]!, y: values[i * 3 + 1]! }),
    z: values[i * 3 + 2]! * scale,
  }))
  return { points, presence: outputs.presence!.data[0]! }
}

/** Mesh points with a name of their own. */
export const meshIndex = {
  rightEyeOuter: 33,
  rightEyeInner: 133,
  leftEyeInner: 362,
  leftEyeOuter: 263,
  mouthRight: 61,
  mouthLeft: 291,
  noseTip: 1,
  chin: 152,
  forehead: 10,
  rightCheek: 234,
  leftCheek: 454,
  rightLidUpper: 159,
  rightLidLower: 145,
  leftLidUpper: 386,
  leftLidLower: 374,
} as const
