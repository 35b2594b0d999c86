import type { ModelId } from '../../inference/engine.ts'
import { facepluginLiveness } from './faceplugin-liveness.ts'
import { miniFasNetV1se, miniFasNetV2 } from './minifasnet.ts'
import type { PadNetwork } from './pad-network.ts'
import { recapture } from './recapture.ts'

const networks: readonly PadNetwork[] = [miniFasNetV2, miniFasNetV1se, facepluginLiveness, recapture]

/** @throws {TypeError} for a network that tells no attacks */
export function padNetwork(model: ModelId): PadNetwork {
  const network = networks.find(({ id }) => id === model)
  if (!network) throw new TypeError(`the network ${model} tells no attacks`)
  return network
}
