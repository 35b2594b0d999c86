/**
 * The comparison score of two templates.
 *
 * Networks map people and cameras that are rare in their training data close together: at dlib's usual threshold three in ten
 * pairs of strangers photographed together match. So distances are normalised: the distance is expressed in standard deviations
 * from the mean distance to the nearest members of a cohort, for each side, and both values are averaged (adaptive symmetric
 * score normalisation, Cumani et al. 2011; `docs/matching.md`). A linear function with two parameters of the cohort maps the
 * result to the log odds of the score.
 */
import { invariant } from '../errors.ts'
import type { Template } from '../vision/templates/registry.ts'
import type { Cohort } from './cohort.ts'
import { euclidean } from './distance.ts'
import { quickselect } from './quickselect.ts'

/** A template with the parameters that normalise distances from it. */
export interface NormalizedTemplate {
  vector: Float32Array
  /** The distance with the score 0.85 if both sides have the same parameters. */
  threshold: number
  /** Distance per unit of log odds. */
  scale: number
}

export interface Comparison {
  /** 0 strangers … 1 the same person; the default threshold of the contract is 0.85. */
  score: number
  /** Euclidean distance of the templates. */
  distance: number
  /** Distance normalised by both sides: 0 at the score 0.85; the lower, the more similar. */
  normalisedDistance: number
}

const neighbours = 100

/** Log odds at a cohort's `threshold`: the default threshold of the contract. */
const thresholdOdds = Math.log(0.85 / 0.15)

/** Computes the normalisation parameters of a template from its distances to the cohort; needed once per template. */
export function normalizeTemplate(cohort: Cohort, { modelId, vector }: Template): NormalizedTemplate {
  invariant(modelId === cohort.templateModelId, 'a template is normalized among templates of its own network')
  const nearest = quickselect(cohort.distances(vector), neighbours)
  const mean = nearest.reduce((sum, value) => sum + value, 0) / nearest.length
  const variance = nearest.reduce((sum, value) => sum + (value - mean) ** 2, 0) / nearest.length
  const deviation = Math.sqrt(variance)
  return { vector, threshold: mean + cohort.threshold * deviation, scale: deviation / cohort.slope }
}

/** Opens a comparison of plain vectors that returns the normalised distance; each vector is normalised only once. */
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

/** Maps a normalised distance to a score: a logistic curve with 0.85 at 0. */
export const toScore = (normalisedDistance: number): number =>
  1 / (1 + Math.exp(normalisedDistance - thresholdOdds))

/** Increase of the log odds per decade of FMR, measured between 1 in 1000 (the default threshold) and 1 in 10,000 (`models/cards/cohorts.md`). */
const oddsPerDecade = Math.log(0.935 / 0.065) - thresholdOdds

/**
 * The threshold for a false match rate. Below 1 in 10,000 it is extrapolated linearly, not measured.
 * @param falseMatchRate above 0
 */
export const thresholdForRate = (falseMatchRate: number): number =>
  1 / (1 + Math.exp(-thresholdOdds + oddsPerDecade * (Math.log10(falseMatchRate) + 3)))

/** How a search of a list of some size decides. */
export interface SearchRate {
  templates: number
  /** Score from which somebody is found. */
  threshold: number
  /** Expected share of people who are not in the list and get a hit (FPIR). */
  falseHits: number
}

/** The false match rate at a threshold, the reverse of `thresholdForRate`. @param threshold above 0 and below 1 */
export const rateForThreshold = (threshold: number): number =>
  10 ** ((thresholdOdds - Math.log(threshold / (1 - threshold))) / oddsPerDecade - 3)

/** Compares two templates of the same model that were normalised by the same cohort; the order does not matter. */
export function compareTemplates(reference: NormalizedTemplate, probe: NormalizedTemplate): Comparison {
  const distance = euclidean(reference.vector, probe.vector)
  const normalisedDistance =
    ((distance - reference.threshold) / reference.scale + (distance - probe.threshold) / probe.scale) / 2
  const score = toScore(normalisedDistance)
  invariant(Number.isFinite(score), 'a comparison score is a number')
  return { score, distance, normalisedDistance }
}
