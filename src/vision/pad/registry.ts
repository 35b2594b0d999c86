import type { ModelId } from '../../inference/engine.ts'
import { lookUpNetwork } from '../look-up-network.ts'
import { facepluginLiveness } from './faceplugin-liveness.ts'
import { miniFasNetV1se, miniFasNetV2 } from './minifasnet.ts'
import type { PadNetwork } from './pad-network.ts'
import { recapture } from './recapture.ts'

const networks: Readonly<Record<ModelId, PadNetwork>> = Object.fromEntries(
  [miniFasNetV2, miniFasNetV1se, facepluginLiveness, recapture].map((network) => [network.id, network]),
)

/** @throws {TypeError} for a network that tells no attacks */
export const findPadNetwork = (model: ModelId): PadNetwork => lookUpNetwork(networks, model, 'tell attacks')
