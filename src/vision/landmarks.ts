import type { Engine, ModelId } from '../inference/engine.ts'
import type { DetectedFace } from './face.ts'
import { type FaceMesh, fitFaceMesh } from './facemesh.ts'
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
