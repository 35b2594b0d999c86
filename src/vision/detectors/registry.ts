import type { Engine, ModelId } from '../../inference/engine.ts'
import type { FaceDetector } from '../face.ts'
import { registered } from '../registered.ts'
import { blazeface } from './blazeface.ts'
import { yunet } from './yunet.ts'

const detectors: Readonly<Record<ModelId, (engine: Engine) => FaceDetector>> = {
  'yunet-2023mar': yunet,
  'blazeface-back': blazeface,
}

/** @throws {TypeError} for a network that finds no faces */
export const faceDetector = (engine: Engine, model: ModelId): FaceDetector =>
  registered(detectors, model, 'find faces')(engine)
