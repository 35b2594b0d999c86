import { describe, expect, it } from 'vitest'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { computePicturePrint } from '../../../src/vision/picture-print.ts'
import { toPyramid } from '../../fixtures/codecs.ts'

/** Lightness that increases from left to right and from top to bottom. */
function slope(width: number, height: number): RgbaImage {
  const data = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      data.fill(
        (100 * (x + 0.5)) / width + (100 * (y + 0.5)) / height,
        (y * width + x) * 4,
        (y * width + x) * 4 + 3,
      )
  return { width, height, data }
}

describe('the print of a picture', () => {
  it.each([
    [16, 16],
    [9, 20],
    [75, 75],
    [127, 255],
    [1023, 511],
    [640, 1999],
  ])('is the same whatever its size: %i × %i', (width, height) => {
    const print = computePicturePrint(toPyramid(slope(width, height)))
    const expected = (cell: number) => (100 * ((cell % 16) + Math.floor(cell / 16) + 1)) / 16
    expect(print).toHaveLength(256)
    const apart = print.map((lightness, cell) => Math.abs(lightness - expected(cell)))
    expect(Math.max(...apart)).toBeLessThan(width < 16 ? 4 : 1)
  })
})
