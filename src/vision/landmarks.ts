import type { Engine, ModelId } from '../inference/engine.ts'
import type { DetectedFace } from './face.ts'
import { type FaceMesh, fitFaceMesh } from './facemesh.ts'
import { lookUpNetwork } from './look-up-network.ts'
import type { Pyramid } from './pyramid.ts'

/** Lays the mesh of 468 points on a face: the layout that alignment, quality and movement are written in. */
export type LandmarkMethod = (pyramid: Pyramid, face: DetectedFace) => Promise<FaceMesh>

const methods: Readonly<Record<ModelId, (engine: Engine) => LandmarkMethod>> = {
  'facemesh-468': (engine) => (pyramid, face) => fitFaceMesh(engine, pyramid, face),
}

/** @throws {TypeError} for a network that finds no landmarks */
export const openLandmarkMethod = (engine: Engine, model: ModelId): LandmarkMethod =>
  lookUpNetwork(methods, model, 'find landmarks')(engine)
