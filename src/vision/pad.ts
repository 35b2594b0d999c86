import type { Engine, ModelId } from '../inference/engine.ts'
import type { DetectedFace } from './face.ts'
import { classifyWithFaceplugin } from './faceplugin-liveness.ts'
import { classifyInnerFace, classifyWithMiniFasNet } from './minifasnet.ts'
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

/** A network that sees the face with its surroundings, or one that sees the inner face alone. */
type View = ModelId | 'inner face'

/** What is said of one view. */
interface Opinion {
  view: View
  /** Probability of a live face. */
  live: number
  /** Probability of a replayed screen; `null` where the view does not tell. */
  replay: number | null
}

type Look = (engine: Engine, pyramid: Pyramid, face: DetectedFace) => Promise<Opinion[]>

const looks: readonly { models: readonly ModelId[]; look: Look }[] = [
  {
    models: ['minifasnet-v2', 'minifasnet-v1se'],
    async look(engine, pyramid, { box }) {
      const [v2, v1se] = await classifyWithMiniFasNet(engine, pyramid, box)
      const inner = await classifyInnerFace(engine, pyramid, box)
      return [
        { view: 'minifasnet-v2', ...v2! },
        { view: 'minifasnet-v1se', ...v1se! },
        { view: 'inner face', live: inner.live, replay: null },
      ]
    },
  },
  {
    models: ['faceplugin-liveness'],
    look: async (engine, pyramid, { box }) => [
      {
        view: 'faceplugin-liveness',
        live: await classifyWithFaceplugin(engine, pyramid, box),
        replay: null,
      },
    ],
  },
  {
    models: ['recapture-1'],
    look: async (engine, pyramid, { box }) => [
      { view: 'recapture-1', ...(await classifyWithRecapture(engine, pyramid, box)) },
    ],
  },
]

/** For a face with plenty of surroundings, and for one that fills its picture: between them it goes evenly. */
type Weight = readonly [loose: number, tight: number]

/** How the log odds of the views, and the softness of the sample, add up to those of an attack. */
interface Weights {
  views: Partial<Record<View, Weight>>
  softness: number
  bias: number
}

/**
 * By the networks that take part. Attacks that networks know little of are still softer than faces, so softness has a say
 * everywhere. `models/cards/pad-fusion.md` says on what the numbers were set.
 */
const weightings: readonly Weights[] = [
  {
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
    views: { 'minifasnet-v2': [0.5, 0.25], 'minifasnet-v1se': [0.5, 0.25], 'inner face': [0.25, 0.5] },
    softness: 0.5,
    bias: -0.7,
  },
  { views: { 'faceplugin-liveness': [0.6, 0.6], 'recapture-1': [0.3, 0.3] }, softness: 0.8, bias: -0.5 },
  { views: { 'recapture-1': [1, 1] }, softness: 1.5, bias: -0.51 },
]

/** Median sharpness of the bona fide pictures fitted on. */
const usualSharpness = 0.132
/** No network is so sure, and no sample so sharp or soft, that nothing else counts. */
const oddsMax = 5
const [softnessMin, softnessMax] = [-1.5, 2.5]

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))

/** Log odds of an attack. */
const oddsOf = ({ live }: Opinion): number =>
  clamp(Math.log((1 - live + 1e-9) / (live + 1e-9)), -oddsMax, oddsMax)

const softnessOf = ({ sharpness }: SampleQuality): number =>
  clamp(Math.log(usualSharpness / Math.max(sharpness, 1e-4)), softnessMin, softnessMax)

/**
 * What a sample must have for the networks to judge it: they were made for colour pictures of a face with surroundings, and
 * see neither skin nor paper through heavy compression.
 */
export const judgeable = { faceSideMin: 80, colourMin: 1.5, surroundingsMin: 1.5, blockinessMax: 2.5 }

/** Share of their certainty that is left to the networks where one of these is missing. */
const doubtful = 0.5

/** How much the networks are to be believed about a sample, 0…1. */
function reliabilityOf({ faceSide, colour, surroundings, blockiness }: SampleQuality): number {
  const doubts = [
    colour !== null && colour < judgeable.colourMin,
    surroundings !== null && surroundings < judgeable.surroundingsMin,
    blockiness !== null && blockiness > judgeable.blockinessMax,
  ]
  return Math.min(1, faceSide / judgeable.faceSideMin) * doubtful ** doubts.filter(Boolean).length
}

/** Sides of the picture, in face sides, from which on a face has plenty of surroundings, and up to which it has none. */
const [plenty, none] = [2, 1.25]

function weightOf([loose, tight]: Weight, { surroundings }: SampleQuality): number {
  const tightness = clamp((plenty - (surroundings ?? plenty)) / (plenty - none), 0, 1)
  return loose + (tight - loose) * tightness
}

/** @throws {TypeError} when nobody has weighed these networks against each other */
export function padMethod(engine: Engine, models: readonly ModelId[]): PadMethod {
  const weights = weightings.find(
    ({ views }) =>
      models.every((model) => model in views) &&
      Object.keys(views).every((view) => view === 'inner face' || models.some((model) => model === view)),
  )
  if (!weights) throw new TypeError(`there are no weights for the networks ${models.join(', ')}`)
  const chosen = looks.filter((look) => look.models.some((model) => models.includes(model)))
  return async (pyramid, face, quality) => {
    const opinions: Opinion[] = []
    for (const { look } of chosen) opinions.push(...(await look(engine, pyramid, face)))
    const odds = opinions.reduce(
      (sum, opinion) => sum + oddsOf(opinion) * weightOf(weights.views[opinion.view]!, quality),
      weights.bias + weights.softness * softnessOf(quality),
    )
    // A doubtful sample keeps its side and loses its certainty.
    const reliability = reliabilityOf(quality)
    const replays = opinions.map(({ replay }) => replay).filter((replay) => replay !== null)
    return {
      attack: 1 / (1 + Math.exp(-odds * reliability)),
      replay: replays.reduce((sum, replay) => sum + replay, 0) / replays.length,
      modelIds: models,
    }
  }
}
