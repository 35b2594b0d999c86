import type { Engine, ModelId } from '../inference/engine.ts'
import type { DetectedFace } from './face.ts'
import { classifyWithMiniFasNet } from './minifasnet.ts'
import type { Pyramid } from './pyramid.ts'
import type { SampleQuality } from './quality.ts'
import { classifyWithRecapture } from './recapture.ts'

/** What the presentation attack detection saw in one face. */
export interface PadEvidence {
  /** 0 bona fide … 1 presentation attack. */
  attack: number
  /** Share of the networks' probability that lies on a replayed screen, 0…1. */
  replay: number
  /** The networks that took part. */
  modelIds: readonly ModelId[]
}

/** One way of telling attacks from bona fide samples. */
export type PadMethod = (pyramid: Pyramid, face: DetectedFace, quality: SampleQuality) => Promise<PadEvidence>

/** Attack = 1 − mean of both networks' probability of a live face. */
function miniFasNetMethod(engine: Engine): PadMethod {
  return async (pyramid, face) => {
    const classes = await classifyWithMiniFasNet(engine, pyramid, face.box)
    return {
      attack: 1 - classes.live,
      replay: classes.replay,
      modelIds: ['minifasnet-v2', 'minifasnet-v1se'],
    }
  }
}

/**
 * How the recapture network and the sharpness of the sample are weighed against each other, on the scale of log odds:
 * `ln(p/(1−p)) + weight · ln(usual/sharpness) + bias`. Prints, which the network does not know, are softer than faces.
 * `usual` is the median sharpness of the bona fide pictures fitted on, and `bias` lets one in ten of them be taken for an
 * attack (`models/cards/recapture-1.md`).
 */
const softness = { weight: 1.5, usual: 0.132, bias: -0.51 }

function recaptureMethod(engine: Engine): PadMethod {
  return async (pyramid, face, quality) => {
    const classes = await classifyWithRecapture(engine, pyramid, face.box)
    const network = Math.min(0.9999, Math.max(0.0001, 1 - classes.live))
    const soft = Math.log(softness.usual / Math.max(quality.sharpness, 1e-4))
    const odds = Math.log(network / (1 - network)) + softness.weight * soft + softness.bias
    return { attack: 1 / (1 + Math.exp(-odds)), replay: classes.replay, modelIds: ['recapture-1'] }
  }
}

/** The method that belongs to a profile's networks. */
export function padMethod(engine: Engine, models: readonly ModelId[]): PadMethod {
  return models.includes('recapture-1') ? recaptureMethod(engine) : miniFasNetMethod(engine)
}
