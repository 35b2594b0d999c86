/**
 * The comparison score of two templates.
 *
 * Networks trained on some people and cameras crowd the others together: at dlib's usual threshold three in ten pairs of
 * strangers photographed together match. So a distance is only read against its surroundings: it is counted in standard
 * deviations from the mean distance to the nearest members of a cohort, for either side, and both counts are averaged
 * (adaptive symmetric score normalisation, Cumani et al. 2011; `docs/matching.md`). A straight line makes that count the log
 * odds of the score; its two numbers belong to the cohort.
 */
import { invariant } from '../errors.ts'
import type { Template } from '../vision/templates/registry.ts'
import type { Cohort } from './cohort.ts'
import { euclidean } from './distance.ts'
import { quickselect } from './quickselect.ts'

/** A template with how distances from it are read. */
export interface NormalizedTemplate {
  vector: Float32Array
  /** The distance that gets the score 0.85 where the other side has the same surroundings. */
  threshold: number
  /** Distance per unit of log odds. */
  scale: number
}

export interface Comparison {
  /** 0 strangers … 1 the same person; the default threshold of the contract is 0.85. */
  score: number
  /** Euclidean distance of the templates. */
  distance: number
  /** The distance read against the surroundings of both sides: 0 at the score 0.85, the lower the more alike. */
  normalisedDistance: number
}

const neighbours = 100

/** Where a cohort's `threshold` lies: the default threshold of the contract. */
const thresholdOdds = Math.log(0.85 / 0.15)

/** Measures a template's surroundings: a thousand distances, once per template. */
export function normalizeTemplate(cohort: Cohort, { modelId, vector }: Template): NormalizedTemplate {
  invariant(modelId === cohort.templateModelId, 'a template is normalized among templates of its own network')
  const nearest = quickselect(cohort.distances(vector), neighbours)
  const mean = nearest.reduce((sum, value) => sum + value, 0) / nearest.length
  const variance = nearest.reduce((sum, value) => sum + (value - mean) ** 2, 0) / nearest.length
  const deviation = Math.sqrt(variance)
  return { vector, threshold: mean + cohort.threshold * deviation, scale: deviation / cohort.slope }
}

/** Normalised distances of bare templates; each is placed once. */
export function openVectorComparison(cohort: Cohort): (a: Float32Array, b: Float32Array) => number {
  const normalized = new WeakMap<Float32Array, NormalizedTemplate>()
  const normalize = (vector: Float32Array): NormalizedTemplate => {
    const known =
      normalized.get(vector) ?? normalizeTemplate(cohort, { modelId: cohort.templateModelId, vector })
    normalized.set(vector, known)
    return known
  }
  return (a, b) => compareTemplates(normalize(a), normalize(b)).normalisedDistance
}

/** The score of a normalised distance: a logistic curve through 0.85 at 0. */
export const toScore = (normalisedDistance: number): number =>
  1 / (1 + Math.exp(normalisedDistance - thresholdOdds))

/** How far the log odds rise from one false match in a thousand, at the default threshold, to one in ten thousand (`models/cards/cohorts.md`). */
const oddsPerDecade = Math.log(0.935 / 0.065) - thresholdOdds

/**
 * The score that strangers reach at a given rate. Beyond one in ten thousand it goes on in a straight line, which nobody has
 * measured.
 * @param falseMatchRate above 0
 */
export const thresholdForRate = (falseMatchRate: number): number =>
  1 / (1 + Math.exp(-thresholdOdds + oddsPerDecade * (Math.log10(falseMatchRate) + 3)))

/** Compares two placed templates of the same model and cohort; the order does not matter. */
export function compareTemplates(reference: NormalizedTemplate, probe: NormalizedTemplate): Comparison {
  const distance = euclidean(reference.vector, probe.vector)
  const normalisedDistance =
    ((distance - reference.threshold) / reference.scale + (distance - probe.threshold) / probe.scale) / 2
  const score = toScore(normalisedDistance)
  invariant(Number.isFinite(score), 'a comparison score is a number')
  return { score, distance, normalisedDistance }
}
