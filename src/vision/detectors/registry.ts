import type { Engine, ModelId } from '../../inference/engine.ts'
import type { FaceDetector } from '../face.ts'
import { lookUpNetwork } from '../look-up-network.ts'
import { openBlazeface } from './blazeface.ts'
import { openYunet } from './yunet.ts'

const detectors: Readonly<Record<ModelId, (engine: Engine) => FaceDetector>> = {
  'yunet-2023mar': openYunet,
  'blazeface-back': openBlazeface,
}

/**
 * Opens the detector of a network. Callers shrink pictures to its `inputSizes`; `detectFaces` does so.
 * @throws {TypeError} for a network of another task
 * @example
 * ```ts
 * import { engine, profile } from '../../../test/fixtures/networks.ts'
 * import { toPyramid } from '../../../test/fixtures/codecs.ts'
 * import { portraitImage } from '../../../test/fixtures/portraits.ts'
 * import { shrinkToSide } from '../resample.ts'
 * import { openFaceDetector } from './registry.ts'
 *
 * const detector = openFaceDetector(engine, profile.detector)
 * const picture = toPyramid(await portraitImage('redhead'))
 * const [face] = await detector.detect(shrinkToSide(picture, detector.inputSizes[0]!), picture.kernel)
 * face!.confidence > detector.uprightConfidence // → true
 * ```
 */
export const openFaceDetector = (engine: Engine, model: ModelId): FaceDetector =>
  lookUpNetwork(detectors, model, 'find faces')(engine)
