import { expect, it } from 'vitest'
import { sameRow, sameText } from '../../../tools/accuracy/same-report.ts'

const even = (lightness: number): number[] => Array(256).fill(lightness)
const withSpot = (lightness: number, spot: number): number[] => [spot, ...even(lightness).slice(1)]

it('counts what is taken for one picture, and says how near the nearest pair is', () => {
  const row = sameRow('photos', [
    { isTakenForOne: true, prints: [even(100), even(103)] },
    { isTakenForOne: false, prints: [even(100), withSpot(100, 132)] },
    { isTakenForOne: false, prints: [even(100), even(140)] },
  ])
  // One cell of 256 that differs by 32 is 2 in the mean; the least of each may be of different pairs.
  expect(row).toEqual({ name: 'photos', pairs: 3, takenForOne: 1, nearest: { mean: 2, most: 3 } })
  expect(sameText([row])).toMatch(/photos +1 of 3 +2\.0, 3\.0$/)
})

it('claims nothing without pairs', () => {
  expect(sameRow('photos', [])).toEqual({ name: 'photos', pairs: 0, takenForOne: 0, nearest: null })
})
