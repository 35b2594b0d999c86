/** Weights of the networks in the attack score. */
import type { ModelId } from '../../inference/engine.ts'

/** Value for a face with plenty of surroundings, and for one that fills the picture; interpolated linearly between them. */
export type Weight = readonly [loose: number, tight: number]

/** Coefficients of the log odds of an attack: a linear combination of the views' log odds and the sample's softness. */
interface PadWeights {
  networks: readonly ModelId[]
  /** By name of the view; a network may have several. */
  views: Readonly<Record<string, Weight>>
  softness: number
  /** Higher with plenty of surroundings if more attacks pass there. */
  bias: Weight
  /** Whether doubtful pictures are judged again in colder light. */
  inColderLight: boolean
}

/**
 * Weights by combination of networks. Softness always has a weight, because attacks that the networks miss are still softer
 * than faces. `models/cards/pad-fusion.md` tells how the numbers were fitted.
 */
const weightings: readonly PadWeights[] = [
  {
    networks: ['minifasnet-v2', 'minifasnet-v1se', 'faceplugin-liveness'],
    views: {
      'minifasnet-v2': [0.25, 0.15],
      'minifasnet-v1se': [0.25, 0.15],
      'faceplugin-liveness': [0.4, 0.24],
      'inner face': [0.25, 0.6],
    },
    softness: 0.5,
    bias: [0.3, -0.6],
    inColderLight: true,
  },
  {
    networks: ['minifasnet-v2', 'minifasnet-v1se'],
    views: { 'minifasnet-v2': [0.5, 0.25], 'minifasnet-v1se': [0.5, 0.25], 'inner face': [0.25, 0.5] },
    softness: 0.5,
    bias: [-0.7, -0.7],
    inColderLight: true,
  },
  {
    networks: ['faceplugin-liveness', 'recapture-1'],
    views: { 'faceplugin-liveness': [0.6, 0.6], 'recapture-1': [0.3, 0.3] },
    softness: 0.8,
    bias: [-0.5, -0.5],
    inColderLight: false,
  },
  {
    networks: ['recapture-1'],
    views: { 'recapture-1': [1, 1] },
    softness: 1.5,
    bias: [-0.51, -0.51],
    inColderLight: false,
  },
]

/** @throws {TypeError} if there are no weights for this combination of networks */
export function findPadWeights(models: readonly ModelId[]): PadWeights {
  const weights = weightings.find(
    ({ networks }) =>
      networks.length === models.length && networks.every((network) => models.includes(network)),
  )
  if (!weights) throw new TypeError(`there are no weights for the networks ${models.join(', ')}`)
  return weights
}
