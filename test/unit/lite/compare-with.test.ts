import { expect, it } from 'vitest'
import { compareWith } from '../../../src/lite/compare-with.ts'
import type { Template } from '../../../src/vision/templates/registry.ts'
import { axisTemplate } from '../../fixtures/assessments.ts'
import { madeCohort, madeTemplate } from '../../fixtures/templates.ts'

const cohort = madeCohort(
  'axes',
  Array.from({ length: 60 }, (_, i) => axisTemplate(i + 60, i / 60)),
)
const band = { min: 0.85, max: 0.85 }
const template = (axis: number): Template => madeTemplate(axisTemplate(axis))

it('comparing with many templates yields to the event loop and keeps their order', async () => {
  const others = Array.from({ length: 820 }, (_, i) => template(i % 50))
  let turns = 0
  const timer = setInterval(() => {
    turns++
  }, 0)
  const comparisons = await compareWith(cohort, band, template(7), others)
  clearInterval(timer)
  expect(turns).toBeGreaterThanOrEqual(3)
  const approved = comparisons.flatMap(({ decision }, i) => (decision === 'SUCCESS' ? [i] : []))
  expect(approved).toEqual(Array.from({ length: 17 }, (_, i) => 7 + 50 * i))
})
