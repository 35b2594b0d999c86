import { expect, it } from 'vitest'
import { applyGains } from '../../../src/vision/pad/colour-gains.ts'

it('multiplies the channels of planes in both orders, up to 255', () => {
  const gains = [0.5, 1, 2] as const
  expect([...applyGains(Float32Array.of(100, 80, 60, 40, 20, 200), 'rgb', gains)]).toEqual([
    50, 40, 60, 40, 40, 255,
  ])
  expect([...applyGains(Float32Array.of(20, 200, 60, 40, 100, 80), 'bgr', gains)]).toEqual([
    40, 255, 60, 40, 50, 40,
  ])
})
