import type { ModelId } from '../../inference/engine.ts'
import { lookUpNetwork } from '../look-up-network.ts'
import { facepluginLiveness } from './faceplugin-liveness.ts'
import { miniFasNetV1se, miniFasNetV2 } from './minifasnet.ts'
import type { PadNetwork } from './pad-network.ts'
import { recapture } from './recapture.ts'

const networks: Readonly<Record<ModelId, PadNetwork>> = Object.fromEntries(
  [miniFasNetV2, miniFasNetV1se, facepluginLiveness, recapture].map((network) => [network.id, network]),
)

/**
 * A network for presentation attack detection. It scores one or more views (crops) of a face with probabilities 0…1;
 * `openPadMethod` weighs the views of several networks.
 * @throws {TypeError} for a network of another task
 * @example
 * ```ts
 * import { detectPortrait, engine, profile } from '../../../test/fixtures/networks.ts'
 * import { findPadNetwork } from './registry.ts'
 *
 * const { pyramid, face } = await detectPortrait('redhead')
 * const [view] = await findPadNetwork(profile.pad[0]!).classify(engine, pyramid, face)
 * view!.live > 0 && view!.live < 1 // → true
 * ```
 */
export const findPadNetwork = (model: ModelId): PadNetwork => lookUpNetwork(networks, model, 'tell attacks')
