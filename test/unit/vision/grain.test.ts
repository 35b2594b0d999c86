/** Noise and compression of large faces, which are sampled. */
import { expect, it } from 'vitest'
import { measureGrain } from '../../../src/vision/grain.ts'
import { toPyramid } from '../../fixtures/codecs.ts'
import { generator } from '../../fixtures/gallery.ts'

const size = 760

/** Blocks whose middle has more detail than their edges, as that of JPEG files has. */
function blocks() {
  const random = generator(5)
  const data = new Uint8ClampedArray(size * size * 4)
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const [u, v] = [x % 8, y % 8]
      const detail = 12 * Math.min(u, 7 - u, v, 7 - v) * random()
      const level = 100 + 6 * (((x >> 3) + (y >> 3)) % 3) + detail
      data.set([level, level, level, 255], (y * size + x) * 4)
    }
  }
  return { width: size, height: size, data }
}

it('a face beyond the picture has no blocks', () => {
  const pyramid = toPyramid(blocks())
  expect(measureGrain(pyramid, { x: 10, y: -400, width: 300, height: 300 }).blockiness).toBe(1)
})

it.each([640, 680, 719])(
  'the blockiness of a face of %i pixels does not depend on its place in the grid',
  (side) => {
    const pyramid = toPyramid(blocks())
    const found = Array.from(
      { length: 8 },
      (_, i) =>
        measureGrain(pyramid, { x: 16 + i, y: 19 + ((i * 3) % 8), width: side, height: side }).blockiness,
    )
    expect(Math.max(...found) / Math.min(...found)).toBeLessThan(1.1)
  },
)
