import { expect, it } from 'vitest'
import { sampleStrip } from '../../../../src/vision/document/strip.ts'
import { toPyramid } from '../../../fixtures/codecs.ts'

const [width, height] = [60, 40]
/** Grey levels that grow by 2 to the right and by 3 downwards. */
const levelAt = (x: number, y: number) => 2 * x + 3 * y
const pyramid = toPyramid({
  ...{ width, height },
  data: Uint8ClampedArray.from({ length: width * height * 4 }, (_, i) => {
    const pixel = i >> 2
    return i % 4 === 3 ? 255 : levelAt(pixel % width, Math.floor(pixel / width))
  }),
})

const plan = { along: [-8, 0.5, 0], rowStep: 0.5, width: 32 } as const
const path = { x: 30, y: 20, dx: 0.8, dy: 0.6, bend: [0, 0, 0], isMirrored: false } as const

it('samples along a tilted line, with columns moved towards the next line', () => {
  const shifts = new Float32Array(32).fill(2)
  const strip = sampleStrip(pyramid, { ...plan, path, shifts }, 8)
  for (const [column, row] of [
    [0, 0],
    [31, 7],
    [12, 5],
  ] as const) {
    const along = -8 + 0.5 * (column + 0.5)
    const across = 0.5 * (row + 0.5 - 4 + 2)
    const x = 30 + along * 0.8 - across * 0.6
    const y = 20 + along * 0.6 + across * 0.8
    expect(strip[row * 32 + column]).toBeCloseTo(levelAt(x - 0.5, y - 0.5), 3)
  }
})

it('has the levels of the border outside of the picture', () => {
  const corner = { ...path, x: 0, y: 0, dx: 1, dy: 0 }
  const strip = sampleStrip(pyramid, { ...plan, path: corner }, 8)
  expect(strip[0]).toBe(0)
  expect(strip[31]).toBeCloseTo(levelAt(-8 + 0.5 * 31.5 - 0.5, 0), 3)
  expect(strip[7 * 32]).toBeCloseTo(levelAt(0, 0.5 * 3.5 - 0.5), 3)
})
