import { describe, expect, it } from 'vitest'
import {
  fitSimilarity,
  intersectionOverUnion,
  invert,
  type Point,
  transform,
} from '../../../src/vision/geometry.ts'

const points: Point[] = [
  { x: 0, y: 0 },
  { x: 10, y: 0 },
  { x: 10, y: 5 },
  { x: 3, y: 8 },
]

describe('similarities', () => {
  it('are fitted with rotation, scale and shift', () => {
    const known = { a: 1.5 * Math.cos(0.4), b: 1.5 * Math.sin(0.4), tx: 20, ty: -7 }
    const found = fitSimilarity(
      points,
      points.map((p) => transform(known, p)),
    )
    for (const key of ['a', 'b', 'tx', 'ty'] as const) expect(found[key]).toBeCloseTo(known[key], 9)
  })

  it('are inverted', () => {
    const t = { a: 0.7, b: -1.2, tx: 3, ty: 11 }
    const back = transform(invert(t), transform(t, { x: 4, y: -9 }))
    expect(back.x).toBeCloseTo(4, 9)
    expect(back.y).toBeCloseTo(-9, 9)
  })
})

describe('intersectionOverUnion', () => {
  const box = { x: 0, y: 0, width: 10, height: 10 }
  it.each([
    ['itself', box, 1],
    ['half of it', { x: 0, y: 0, width: 5, height: 10 }, 0.5],
    ['a neighbour', { x: 10, y: 0, width: 10, height: 10 }, 0],
  ])('of a box with %s', (_, other, expected) => {
    expect(intersectionOverUnion(box, other)).toBeCloseTo(expected, 9)
  })
})
