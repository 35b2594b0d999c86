import { expect, it } from 'vitest'
import { changeColours } from '../../../src/vision/pad/colour-change.ts'

const rgb = () => Float32Array.of(100, 80, 60, 40, 20, 200)
const bgr = () => Float32Array.of(20, 200, 60, 40, 100, 80)

it('multiplies the channels of planes in both orders, up to 255', () => {
  const gains = [0.5, 1, 2] as const
  expect([...changeColours(rgb(), 'rgb', gains)]).toEqual([50, 40, 60, 40, 40, 255])
  expect([...changeColours(bgr(), 'bgr', gains)]).toEqual([40, 255, 60, 40, 50, 40])
})

it('takes the colours away in both orders', () => {
  const [first, second] = [0.299 * 100 + 0.587 * 60 + 0.114 * 20, 0.299 * 80 + 0.587 * 40 + 0.114 * 200]
  for (const planes of [changeColours(rgb(), 'rgb', 'grey'), changeColours(bgr(), 'bgr', 'grey')])
    for (const channel of [0, 2, 4]) {
      expect(planes[channel]).toBeCloseTo(first, 4)
      expect(planes[channel + 1]).toBeCloseTo(second, 4)
    }
})

it('leaves planes as they are', () => {
  expect(changeColours(rgb(), 'rgb', undefined)).toEqual(rgb())
})
