import type { Engine, ModelId } from '../inference/engine.ts'
import type { DetectedFace } from './face.ts'
import { type FaceMesh, meshFace } from './facemesh.ts'
import type { Pyramid } from './pyramid.ts'
import { registered } from './registered.ts'

/** Lays the mesh of 468 points on a face: the layout that alignment, quality and movement are written in. */
export type LandmarkMethod = (pyramid: Pyramid, face: DetectedFace) => Promise<FaceMesh>

const methods: Readonly<Record<ModelId, (engine: Engine) => LandmarkMethod>> = {
  'facemesh-468': (engine) => (pyramid, face) => meshFace(engine, pyramid, face),
}

/** @throws {TypeError} for a network that finds no landmarks */
export const landmarkMethod = (engine: Engine, model: ModelId): LandmarkMethod =>
  registered(methods, model, 'find landmarks')(engine)
