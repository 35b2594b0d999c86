import { describe, expect, it } from 'vitest'
import { type Cohort, readCohort, writeCohort } from '../../../src/decide/cohort.ts'
import {
  compareTemplates,
  normalizeTemplate,
  rateForThreshold,
  thresholdForRate,
  toScore,
} from '../../../src/decide/comparison.ts'
import { generator } from '../../fixtures/gallery.ts'
import { cohortFacts, madeCohort, madeTemplate, templateLength } from '../../fixtures/templates.ts'

/** A seeded cloud of vectors around a centre. */
function cloud(count: number, spread: number, seed: number): Float32Array[] {
  const random = generator(seed)
  return Array.from({ length: count }, () =>
    Float32Array.from({ length: templateLength }, () => 0.1 + (random() - 0.5) * spread),
  )
}

const cohort: Cohort = madeCohort('test', cloud(1000, 0.2, 1))
const place = (vector: Float32Array) => normalizeTemplate(cohort, madeTemplate(vector))

describe('compareTemplates', () => {
  const [a, b] = cloud(2, 0.2, 99) as [Float32Array, Float32Array]

  it('gives a template and itself the highest score', () => {
    expect(compareTemplates(place(a), place(a)).score).toBeGreaterThan(0.999)
  })

  it('gives strangers a low score', () => {
    expect(compareTemplates(place(a), place(b)).score).toBeLessThan(0.2)
  })

  it('is symmetric in reference and probe', () => {
    expect(compareTemplates(place(a), place(b))).toEqual(compareTemplates(place(b), place(a)))
  })

  it('throws instead of returning NaN', () => {
    const endless = place(a.map(() => 3e38))
    expect(() => compareTemplates({ ...endless, scale: 0 }, endless)).toThrow(TypeError)
  })

  it('requires a smaller distance where templates are dense', () => {
    const crowd = madeCohort('crowd', [
      ...cloud(100, 0.2, 1),
      ...cloud(100, 0.2, 1).map((v) => v.map((x, i) => (x + a[i]!) / 2)),
    ])
    const template = (vector: Float32Array) => normalizeTemplate(crowd, madeTemplate(vector))
    expect(template(a).threshold).toBeLessThan(place(a).threshold)
    const near = a.map((value) => value * 1.01)
    expect(compareTemplates(template(a), template(near)).score).toBeLessThan(
      compareTemplates(place(a), place(near)).score,
    )
  })
})

describe('the score curve', () => {
  it('is 0.85 at the threshold and decreases monotonically', () => {
    expect(toScore(0)).toBeCloseTo(0.85, 6)
    const scores = [-60, -20, -3, -1.5, 0, 10, 40].map(toScore)
    expect([...scores].sort((x, y) => y - x)).toEqual(scores)
    expect(scores[0]).toBeLessThanOrEqual(1)
    expect(scores.at(-1)).toBeGreaterThanOrEqual(0)
  })
})

describe('the cohort file', () => {
  const members = cloud(20, 0.4, 5)

  it('is read as it was written', () => {
    const read = readCohort(cohortFacts('x'), writeCohort(members))
    const direct = madeCohort('x', members)
    expect(read.count).toBe(20)
    expect(Math.max(...read.members.map((value, i) => Math.abs(value - direct.members[i]!)))).toBeLessThan(
      2e-3,
    )
  })

  it('refuses other and truncated bytes', () => {
    expect(() => readCohort(cohortFacts('x'), new Uint8Array(100))).toThrow(TypeError)
    expect(() => readCohort(cohortFacts('x'), writeCohort(members).subarray(0, -2))).toThrow(TypeError)
  })
})

describe('the threshold for a false match rate', () => {
  it.each([
    [1e-3, 0.85],
    [1e-4, 0.935],
    [1e-5, 0.9733],
  ])('of %d is %d', (rate, threshold) => {
    expect(thresholdForRate(rate)).toBeCloseTo(threshold, 4)
    expect(rateForThreshold(thresholdForRate(rate)) / rate).toBeCloseTo(1, 9)
  })
})
