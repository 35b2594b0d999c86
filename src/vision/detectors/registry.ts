import type { Engine, ModelId } from '../../inference/engine.ts'
import type { FaceDetector } from '../face.ts'
import { lookUpNetwork } from '../look-up-network.ts'
import { openBlazeface } from './blazeface.ts'
import { openYunet } from './yunet.ts'

const detectors: Readonly<Record<ModelId, (engine: Engine) => FaceDetector>> = {
  'yunet-2023mar': openYunet,
  'blazeface-back': openBlazeface,
}

/** @throws {TypeError} for a network that finds no faces */
export const openFaceDetector = (engine: Engine, model: ModelId): FaceDetector =>
  lookUpNetwork(detectors, model, 'find faces')(engine)
