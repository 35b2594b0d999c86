import { expect, it } from 'vitest'
import type { DetectedFace } from '../../../src/vision/face.ts'
import { nonMaxSuppression } from '../../../src/vision/non-max-suppression.ts'

const origin = { x: 0, y: 0 }
const face = (x: number, confidence: number): DetectedFace => ({
  box: { x, y: 0, width: 10, height: 10 },
  confidence,
  keypoints: { rightEye: origin, leftEye: origin, nose: origin, mouth: origin },
})

it('nonMaxSuppression keeps the most confident of overlapping boxes and all separate ones', () => {
  const kept = nonMaxSuppression([face(0, 0.7), face(2, 0.9), face(40, 0.6)], 0.3)
  expect(kept.map(({ confidence }) => confidence)).toEqual([0.9, 0.6])
})
