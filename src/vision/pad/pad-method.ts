import type { Engine, ModelId } from '../../inference/engine.ts'
import type { DetectedFace } from '../face.ts'
import type { Pyramid } from '../pyramid.ts'
import type { SampleQuality } from '../quality.ts'
import type { ColourChange } from './colour-change.ts'
import type { ViewScore } from './pad-network.ts'
import { findPadNetwork } from './registry.ts'
import { findPadWeights, type Weight } from './weights.ts'

/** Result of presentation attack detection for one face. */
export interface PadEvidence {
  /** 0 bona fide … 1 presentation attack. */
  attack: number
  /** Mean probability of a replayed screen, 0…1. */
  replay: number
  /** The networks that were run. */
  modelIds: readonly ModelId[]
}

/**
 * What an attack score is made of: the logistic function of `reliability · (bias + softness + Σ weight · log odds)`, where the log
 * odds are those of `1 − live`, limited to ±5. The score of a doubtful picture is higher if it looks more like an attack in colder light.
 */
export interface PadParts {
  views: readonly (ViewScore & { weight: number })[]
  /** Depends on the surroundings, as the weights do. */
  bias: number
  /** Share of the missing sharpness in the sum. */
  softness: number
  /** 0…1. */
  reliability: number
}

/** A method of presentation attack detection. */
export type PadMethod = (
  pyramid: Pyramid,
  face: DetectedFace,
  quality: SampleQuality,
) => Promise<PadEvidence & { parts?: PadParts }>

/** Median sharpness of the bona fide pictures used for fitting. */
const usualSharpness = 0.132
/** Bounds, so that no single network and no sharpness alone decides. */
const oddsMax = 5
const [softnessMin, softnessMax] = [-1.5, 2.5]

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))

/** Log odds of an attack. */
const toLogOdds = ({ live }: ViewScore): number =>
  clamp(Math.log((1 - live + 1e-9) / (live + 1e-9)), -oddsMax, oddsMax)

const measureSoftness = ({ sharpness }: SampleQuality): number =>
  clamp(Math.log(usualSharpness / Math.max(sharpness, 1e-4)), softnessMin, softnessMax)

/**
 * Bounds within which the networks are reliable: they were trained on colour pictures of faces with surroundings, and strong
 * compression hides the texture of skin and paper.
 */
export const reliableSample = { faceSideMin: 80, colourMin: 1, surroundingsMin: 1.5, blockinessMax: 2.5 }

/** Factor on the log odds for each bound that is violated. */
const doubtful = 0.5

/** Whether the face has no colours but that of its light. */
const isGrey = ({ colour }: SampleQuality): boolean => colour < reliableSample.colourMin

/** Reliability of the networks for a sample, 0…1. */
function estimateReliability(quality: SampleQuality): number {
  const { faceSide, surroundings, blockiness } = quality
  const doubts = [
    isGrey(quality),
    surroundings < reliableSample.surroundingsMin,
    blockiness > reliableSample.blockinessMax,
  ]
  return Math.min(1, faceSide / reliableSample.faceSideMin) * doubtful ** doubts.filter(Boolean).length
}

/** Shorter side of the picture in face sides: from the first value on a face has plenty of surroundings, up to the second none. */
const [plenty, none] = [2, 1.25]

/** The value for a sample with these surroundings: it changes linearly between both bounds, and not beyond them. */
export function interpolateWeight(
  [loose, tight]: Weight,
  { surroundings }: Pick<SampleQuality, 'surroundings'>,
): number {
  const tightness = clamp((plenty - surroundings) / (plenty - none), 0, 1)
  return loose + (tight - loose) * tightness
}

/**
 * Passing scores from the first bound on are doubtful: such a picture is judged again in colder light, because warm light hides
 * attacks. Most photos of people score less.
 */
const doubtfulScore = { from: 0.2, to: 0.5 }
const colderLight: ColourChange = [0.9, 1, 1.1]

/** @throws {TypeError} for a network of another task, and if there are no weights for this combination of networks */
export function openPadMethod(engine: Engine, models: readonly ModelId[]): PadMethod {
  const weights = findPadWeights(models)
  const networks = models.map(findPadNetwork)
  const classify = async (
    pyramid: Pyramid,
    face: DetectedFace,
    colours?: ColourChange,
  ): Promise<ViewScore[]> => {
    const scores: ViewScore[] = []
    for (const network of networks) scores.push(...(await network.classify(engine, pyramid, face, colours)))
    return scores
  }
  const weigh = (scores: readonly ViewScore[], quality: SampleQuality) => {
    const views = scores.map((score) => ({
      ...score,
      weight: interpolateWeight(weights.views[score.view]!, quality),
    }))
    const softness = weights.softness * measureSoftness(quality)
    const bias = interpolateWeight(weights.bias, quality)
    const odds = views.reduce((sum, view) => sum + toLogOdds(view) * view.weight, bias + softness)
    return { views, bias, softness, odds }
  }
  return async (pyramid, face, quality) => {
    // A tint, or coloured noise, must not make a grey picture look better than it is.
    const grey = isGrey(quality)
    const scores = await classify(pyramid, face, grey ? 'grey' : undefined)
    const { views, bias, softness, odds } = weigh(scores, quality)
    // Low reliability pulls the score towards 0.5; the decision side stays the same.
    const reliability = estimateReliability(quality)
    const toScore = (odds: number) => 1 / (1 + Math.exp(-odds * reliability))
    let attack = toScore(odds)
    if (weights.inColderLight && !grey && attack >= doubtfulScore.from && attack < doubtfulScore.to) {
      const colder = weigh(await classify(pyramid, face, colderLight), quality)
      attack = Math.max(attack, toScore((odds + colder.odds) / 2))
    }
    const replays = scores.map(({ replay }) => replay).filter((replay) => replay !== null)
    return {
      attack,
      replay: replays.reduce((sum, replay) => sum + replay, 0) / replays.length,
      modelIds: models,
      parts: { views, bias, softness, reliability },
    }
  }
}
