/**
 * The comparison score of two templates.
 *
 * Networks trained on some people and cameras crowd the others together: at dlib's usual threshold three in ten pairs of
 * strangers photographed together match. So a distance is only read against its surroundings: it is counted in standard
 * deviations from the mean distance to the nearest members of a cohort, for either side, and both counts are averaged
 * (adaptive symmetric score normalisation, Cumani et al. 2011; `docs/matching.md`).
 */
import { invariant } from '../errors.ts'
import type { Template } from '../vision/template.ts'
import type { Cohort } from './cohort.ts'
import { euclidean } from './distance.ts'
import { leastFirst } from './least-first.ts'

/** A template with what its surroundings in a cohort look like. */
export interface PlacedTemplate {
  vector: Float32Array
  /** Mean and standard deviation of the Euclidean distances to the nearest cohort members. */
  mean: number
  deviation: number
}

export interface Comparison {
  /** 0 strangers … 1 the same person; the default threshold of the contract is 0.85. */
  score: number
  /** Euclidean distance of the templates. */
  distance: number
  /** The distance in standard deviations from the surroundings of both sides; the lower the more alike. */
  normalisedDistance: number
}

const neighbours = 100

/**
 * Where the normalised distance gets the score 0.85. Set on pictures of strangers, never on pairs of one person: there 1 in
 * 1000 pairs of strangers at large comes closer (`models/cards/cohort-1.md`).
 */
const thresholdDistance = -1.935
const thresholdScore = 0.85
/** Log odds per standard deviation. */
const slope = 0.6

/** Measures a template's surroundings: some thousand distances, once per template. */
export function placeTemplate({ distances }: Cohort, { vector }: Template): PlacedTemplate {
  const nearest = leastFirst(distances(vector), neighbours)
  const mean = nearest.reduce((sum, value) => sum + value, 0) / nearest.length
  const variance = nearest.reduce((sum, value) => sum + (value - mean) ** 2, 0) / nearest.length
  return { vector, mean, deviation: Math.sqrt(variance) }
}

/** The score of a normalised distance: a logistic curve through 0.85 at the threshold distance. */
export function scoreOf(normalisedDistance: number): number {
  const odds =
    Math.log(thresholdScore / (1 - thresholdScore)) + slope * (thresholdDistance - normalisedDistance)
  return 1 / (1 + Math.exp(-odds))
}

/** Compares two placed templates of the same model and cohort; the order does not matter. */
export function compareTemplates(reference: PlacedTemplate, probe: PlacedTemplate): Comparison {
  const distance = euclidean(reference.vector, probe.vector)
  const normalisedDistance =
    ((distance - reference.mean) / reference.deviation + (distance - probe.mean) / probe.deviation) / 2
  const score = scoreOf(normalisedDistance)
  invariant(Number.isFinite(score), 'a comparison score is a number')
  return { score, distance, normalisedDistance }
}
