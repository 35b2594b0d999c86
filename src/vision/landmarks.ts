import type { Engine, ModelId } from '../inference/engine.ts'
import { meshToFace, presenceMin } from './clip/track.ts'
import type { DetectedFace } from './face.ts'
import { eyeLineAngle, type FaceMesh, fitFaceMesh } from './facemesh.ts'
import { lookUpNetwork } from './look-up-network.ts'
import type { Pyramid } from './pyramid.ts'

/**
 * Fits the mesh of 468 points to a face; alignment, quality and movement use this layout. Box and points are in pixels of the
 * pyramid's picture.
 * @throws {AppError} `engine_unavailable`
 */
export type LandmarkMethod = (pyramid: Pyramid, face: DetectedFace) => Promise<FaceMesh>

const methods: Readonly<Record<ModelId, (engine: Engine) => LandmarkMethod>> = {
  'facemesh-468': (engine) => (pyramid, face) => fitFaceMesh(engine, pyramid, face),
}

/**
 * Opens the landmark method of a network, which converts the network's output to 468 points.
 * @throws {TypeError} for a network of another task
 * @example
 * ```ts
 * import { detectPortrait, engine, profile } from '../../test/fixtures/networks.ts'
 * import { openLandmarkMethod } from './landmarks.ts'
 *
 * const { pyramid, face } = await detectPortrait('redhead')
 * const { points, presence } = await openLandmarkMethod(engine, profile.landmarks)(pyramid, face)
 * points.length // → 468
 * presence > 0.9 // → true
 * ```
 */
export const openLandmarkMethod = (engine: Engine, model: ModelId): LandmarkMethod =>
  lookUpNetwork(methods, model, 'find landmarks')(engine)

/** The smaller turn from one direction to another, in radians. */
const turnBetween = (from: number, to: number): number => Math.atan2(Math.sin(to - from), Math.cos(to - from))

/** The mesh is exact for a crop whose eyes are level within this angle, in radians. */
const levelWithin = (8 * Math.PI) / 180
/** A head that is tilted by 45° is level after three. */
const refitsMax = 4

/**
 * Fits the mesh to the face of a photo. Detectors may report level eyes for a tilted head, and the mesh of a crop that is not
 * upright lies wrongly. Each fit is nearer to the tilt, so it is repeated until crop and mesh agree.
 * @param fitted the mesh of the face as it was detected, if it is known
 * @throws {AppError} `engine_unavailable`
 */
export async function fitTiltedFace(
  landmarks: LandmarkMethod,
  pyramid: Pyramid,
  face: DetectedFace,
  fitted?: FaceMesh | null,
): Promise<FaceMesh> {
  const tiltOf = ({ keypoints }: DetectedFace) => eyeLineAngle(keypoints.rightEye, keypoints.leftEye)
  let start = face
  let mesh = fitted ?? (await landmarks(pyramid, start))
  for (let i = 0; i < refitsMax && mesh.presence >= presenceMin; i++) {
    const found = meshToFace(mesh)
    if (Math.abs(turnBetween(tiltOf(start), tiltOf(found))) <= levelWithin) break
    const refitted = await landmarks(pyramid, found)
    if (refitted.presence < presenceMin) break
    start = found
    mesh = refitted
  }
  return mesh
}
