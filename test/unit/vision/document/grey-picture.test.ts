import { expect, it } from 'vitest'
import { blurBox, type GreyPicture } from '../../../../src/vision/document/grey-picture.ts'
import { generator } from '../../../fixtures/gallery.ts'

function drawNoise(width: number, height: number): GreyPicture {
  const random = generator(width + height)
  return { width, height, data: Float32Array.from({ length: width * height }, () => random() * 255) }
}

/** The mean of the square around a pixel, as far as it lies in the picture. */
function meanAround({ width, height, data }: GreyPicture, x: number, y: number, radius: number): number {
  let [sum, count] = [0, 0]
  for (let row = Math.max(0, y - radius); row <= Math.min(height - 1, y + radius); row++)
    for (let column = Math.max(0, x - radius); column <= Math.min(width - 1, x + radius); column++) {
      sum += data[row * width + column]!
      count++
    }
  return sum / count
}

it.each([
  [30, 20, 3],
  [7, 40, 8],
  [40, 5, 8],
  [3, 2, 5],
  [1, 1, 1],
  [9, 9, 4],
])('averages squares of a picture of %d × %d pixels, radius %d, also in place', (width, height, radius) => {
  const picture = drawNoise(width, height)
  const { data } = blurBox(picture, radius)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      expect(data[y * width + x]).toBeCloseTo(meanAround(picture, x, y, radius), 3)
  expect(blurBox(picture, radius, picture.data).data).toEqual(data)
})
