import type { Engine, ModelId } from '../../inference/engine.ts'
import type { FaceDetector } from '../face.ts'
import { blazeface } from './blazeface.ts'
import { yunet } from './yunet.ts'

const detectors: Readonly<Record<ModelId, (engine: Engine) => FaceDetector>> = {
  'yunet-2023mar': yunet,
  'blazeface-back': blazeface,
}

/** @throws {TypeError} for a network that finds no faces */
export function faceDetector(engine: Engine, model: ModelId): FaceDetector {
  const detector = Object.hasOwn(detectors, model) ? detectors[model] : undefined
  if (!detector) throw new TypeError(`the network ${model} finds no faces`)
  return detector(engine)
}
