import type { Engine, ModelId } from '../inference/engine.ts'
import type { DetectedFace } from './face.ts'
import { type FaceMesh, fitFaceMesh } from './facemesh.ts'
import { lookUpNetwork } from './look-up-network.ts'
import type { Pyramid } from './pyramid.ts'

/**
 * Lays the mesh of 468 points on a face: the layout that alignment, quality and movement are written in. Box and points are in
 * pixels of the pyramid's picture.
 * @throws {AppError} `engine_unavailable`
 */
export type LandmarkMethod = (pyramid: Pyramid, face: DetectedFace) => Promise<FaceMesh>

const methods: Readonly<Record<ModelId, (engine: Engine) => LandmarkMethod>> = {
  'facemesh-468': (engine) => (pyramid, face) => fitFaceMesh(engine, pyramid, face),
}

/**
 * The landmark method of a network, which makes 468 points of whatever the network itself gives.
 * @throws {TypeError} for a network that finds no landmarks
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
