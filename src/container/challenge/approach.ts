import * as v from 'valibot'
import type { ApproachStep } from '../format.ts'
import type { StepKind } from './step-kind.ts'

/**
 * Widths of the face in per cent of the picture's shorter side. Between the nearest far and the farthest near position perspective
 * still changes by a factor of 1.75.
 */
const far = { from: 27, count: 7 }
const near = { from: 58, count: 9 }

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1))

export const approach: StepKind<ApproachStep> = {
  draw: (below) => ({
    type: 'approach',
    from: (far.from + below(far.count)) / 100,
    to: (near.from + below(near.count)) / 100,
  }),
  form: v.object({ type: v.literal('approach'), from: share, to: share }),
}
