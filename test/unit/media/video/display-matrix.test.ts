import { expect, it } from 'vitest'
import { type DisplayMatrix, findOrientation } from '../../../../src/media/video/display-matrix.ts'

it.each<[DisplayMatrix, number]>([
  [[1, 0, 0, 1], 1],
  [[-1, 0, 0, 1], 2],
  [[-1, 0, 0, -1], 3],
  [[1, 0, 0, -1], 4],
  [[0, 1, 1, 0], 5],
  [[0, 1, -1, 0], 6],
  [[0, -1, -1, 0], 7],
  [[0, -1, 1, 0], 8],
  // Scaled, slightly rotated, and empty.
  [[0, 65536, -65536, 0], 6],
  [[0.99, 0.1, -0.1, 0.99], 1],
  [[0, 0, 0, 0], 1],
])('reads the matrix %j as orientation %i', (matrix, orientation) => {
  expect(findOrientation(matrix)).toBe(orientation)
})
