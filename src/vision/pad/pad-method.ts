import type { Engine, ModelId } from '../../inference/engine.ts'
import type { DetectedFace } from '../face.ts'
import type { Pyramid } from '../pyramid.ts'
import type { SampleQuality } from '../quality.ts'
import type { ViewScore } from './pad-network.ts'
import { findPadNetwork } from './registry.ts'
import { findPadWeights, type Weight } from './weights.ts'

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

/** Median sharpness of the bona fide pictures fitted on. */
const usualSharpness = 0.132
/** No network is so sure, and no sample so sharp or soft, that nothing else counts. */
const oddsMax = 5
const [softnessMin, softnessMax] = [-1.5, 2.5]

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))

/** Log odds of an attack. */
const toLogOdds = ({ live }: ViewScore): number =>
  clamp(Math.log((1 - live + 1e-9) / (live + 1e-9)), -oddsMax, oddsMax)

const measureSoftness = ({ sharpness }: SampleQuality): number =>
  clamp(Math.log(usualSharpness / Math.max(sharpness, 1e-4)), softnessMin, softnessMax)

/**
 * What a sample must have for the networks to judge it: they were made for colour pictures of a face with surroundings, and
 * see neither skin nor paper through heavy compression.
 */
export const reliableSample = { faceSideMin: 80, colourMin: 1.5, surroundingsMin: 1.5, blockinessMax: 2.5 }

/** Share of their certainty that is left to the networks where one of these is missing. */
const doubtful = 0.5

/** How much the networks are to be believed about a sample, 0…1. */
function estimateReliability({ faceSide, colour, surroundings, blockiness }: SampleQuality): number {
  const doubts = [
    colour !== null && colour < reliableSample.colourMin,
    surroundings !== null && surroundings < reliableSample.surroundingsMin,
    blockiness !== null && blockiness > reliableSample.blockinessMax,
  ]
  return Math.min(1, faceSide / reliableSample.faceSideMin) * doubtful ** doubts.filter(Boolean).length
}

/** Sides of the picture, in face sides, from which on a face has plenty of surroundings, and up to which it has none. */
const [plenty, none] = [2, 1.25]

function interpolateWeight([loose, tight]: Weight, { surroundings }: SampleQuality): number {
  const tightness = clamp((plenty - (surroundings ?? plenty)) / (plenty - none), 0, 1)
  return loose + (tight - loose) * tightness
}

/** @throws {TypeError} for a network that tells no attacks, and when nobody has weighed these against each other */
export function openPadMethod(engine: Engine, models: readonly ModelId[]): PadMethod {
  const weights = findPadWeights(models)
  const networks = models.map(findPadNetwork)
  return async (pyramid, face, quality) => {
    const scores: ViewScore[] = []
    for (const network of networks) scores.push(...(await network.classify(engine, pyramid, face)))
    const odds = scores.reduce(
      (sum, score) => sum + toLogOdds(score) * interpolateWeight(weights.views[score.view]!, quality),
      weights.bias + weights.softness * measureSoftness(quality),
    )
    // A doubtful sample keeps its side and loses its certainty.
    const reliability = estimateReliability(quality)
    const replays = scores.map(({ replay }) => replay).filter((replay) => replay !== null)
    return {
      attack: 1 / (1 + Math.exp(-odds * reliability)),
      replay: replays.reduce((sum, replay) => sum + replay, 0) / replays.length,
      modelIds: models,
    }
  }
}
