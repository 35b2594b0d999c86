/** How much each network's word counts. */
import type { ModelId } from '../../inference/engine.ts'

/** For a face with plenty of surroundings, and for one that fills its picture: between them it goes evenly. */
export type Weight = readonly [loose: number, tight: number]

/** How the log odds of the views, and the softness of the sample, add up to those of an attack. */
export interface PadWeights {
  networks: readonly ModelId[]
  /** By the names of views; a network may have several. */
  views: Readonly<Record<string, Weight>>
  softness: number
  bias: number
}

/**
 * By the networks that take part. Attacks that networks know little of are still softer than faces, so softness has a say
 * everywhere. `models/cards/pad-fusion.md` says on what the numbers were set.
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
    bias: -0.6,
  },
  {
    networks: ['minifasnet-v2', 'minifasnet-v1se'],
    views: { 'minifasnet-v2': [0.5, 0.25], 'minifasnet-v1se': [0.5, 0.25], 'inner face': [0.25, 0.5] },
    softness: 0.5,
    bias: -0.7,
  },
  {
    networks: ['faceplugin-liveness', 'recapture-1'],
    views: { 'faceplugin-liveness': [0.6, 0.6], 'recapture-1': [0.3, 0.3] },
    softness: 0.8,
    bias: -0.5,
  },
  { networks: ['recapture-1'], views: { 'recapture-1': [1, 1] }, softness: 1.5, bias: -0.51 },
]

/** @throws {TypeError} when nobody has weighed these networks against each other */
export function findPadWeights(models: readonly ModelId[]): PadWeights {
  const weights = weightings.find(
    ({ networks }) =>
      networks.length === models.length && networks.every((network) => models.includes(network)),
  )
  if (!weights) throw new TypeError(`there are no weights for the networks ${models.join(', ')}`)
  return weights
}
