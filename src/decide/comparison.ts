/**
 * The comparison score of two templates.
 *
 * Networks trained on some people and cameras crowd the others together: at dlib's usual threshold three in ten pairs of
 * strangers photographed together match. So a distance is only read against its surroundings: templates are seen from the
 * cohort's mean, and their cosine distance is divided by how far the nearest cohort members lie from each
 * (`docs/matching.md`).
 */
import type { Template } from '../vision/template.ts'
import { templateLength } from '../vision/template.ts'
import { type Cohort, directionFrom } from './cohort.ts'

/** A template in the space of a cohort. */
export interface PlacedTemplate {
  /** Unit vector from the cohort's mean, `[128]`. */
  direction: Float32Array
  /** Mean cosine distance to the nearest cohort members. */
  spread: number
}

export interface Comparison {
  /** 0 strangers … 1 the same person; the default threshold of the contract is 0.85. */
  score: number
  /** Cosine distance, 0…2. */
  distance: number
  /** Distance divided by the mean spread of both sides. */
  normalisedDistance: number
}

const neighbours = 5

/**
 * Where the normalised distance gets the score 0.85. Set on pictures of strangers, never on pairs of one person: there 5 in
 * 10 000 pairs of strangers at large come closer, and 2 in 100 pairs of strangers on one photograph
 * (`models/cards/cohort-1.md`).
 */
const thresholdDistance = 0.854
const thresholdScore = 0.85
/** Log odds per unit of normalised distance. */
const slope = 12

function cosineDistance(a: Float32Array, b: Float32Array, offset = 0): number {
  let dot = 0
  for (let i = 0; i < templateLength; i++) dot += a[i]! * b[offset + i]!
  return 1 - dot
}

/** Finds a template's place among the cohort: a few hundred dot products, once per template. */
export function placeTemplate(cohort: Cohort, template: Template): PlacedTemplate {
  const direction = directionFrom(cohort.mean, template.vector)
  const distances = Float32Array.from({ length: cohort.count }, (_, member) =>
    cosineDistance(direction, cohort.directions, member * templateLength),
  ).sort()
  const nearest = distances.subarray(0, neighbours)
  return { direction, spread: nearest.reduce((sum, value) => sum + value, 0) / nearest.length }
}

/** The score of a normalised distance: a logistic curve through 0.85 at the threshold distance. */
export function scoreOf(normalisedDistance: number): number {
  const odds =
    Math.log(thresholdScore / (1 - thresholdScore)) + slope * (thresholdDistance - normalisedDistance)
  return 1 / (1 + Math.exp(-odds))
}

/** Compares two placed templates of the same model and cohort; the order does not matter. */
export function compareTemplates(reference: PlacedTemplate, probe: PlacedTemplate): Comparison {
  const distance = Math.max(0, cosineDistance(reference.direction, probe.direction))
  const normalisedDistance = distance / ((reference.spread + probe.spread) / 2)
  return { score: scoreOf(normalisedDistance), distance, normalisedDistance }
}
