import type { Engine, ModelId } from '../inference/engine.ts'
import type { DetectedFace } from './face.ts'
import { type FaceMesh, meshFace } from './facemesh.ts'
import type { Pyramid } from './pyramid.ts'

/** Lays the mesh of 468 points on a face: the layout that alignment, quality and movement are written in. */
export type LandmarkMethod = (pyramid: Pyramid, face: DetectedFace) => Promise<FaceMesh>

const methods: Readonly<Record<ModelId, (engine: Engine) => LandmarkMethod>> = {
  'facemesh-468': (engine) => (pyramid, face) => meshFace(engine, pyramid, face),
}

/** @throws {TypeError} for a network that finds no landmarks */
export function landmarkMethod(engine: Engine, model: ModelId): LandmarkMethod {
  const method = Object.hasOwn(methods, model) ? methods[model] : undefined
  if (!method) throw new TypeError(`the network ${model} finds no landmarks`)
  return method(engine)
}
