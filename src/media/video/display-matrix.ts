/** Converts the display matrix of a clip (ISO/IEC 14496-12, 8.3.2) to an orientation. */
import type { Orientation } from '../exif.ts'
import type { Rotation } from './video-decoder.ts'

/** `x' = a·x + c·y`, `y' = b·x + d·y`, with y pointing down. */
export type DisplayMatrix = readonly [a: number, b: number, c: number, d: number]

const orientations: readonly [matrix: DisplayMatrix, orientation: Orientation][] = [
  [[1, 0, 0, 1], 1],
  [[-1, 0, 0, 1], 2],
  [[-1, 0, 0, -1], 3],
  [[1, 0, 0, -1], 4],
  [[0, 1, 1, 0], 5],
  [[0, 1, -1, 0], 6],
  [[0, -1, -1, 0], 7],
  [[0, -1, 1, 0], 8],
]

/** The nearest quarter turn, mirrored or not; scale and shear are ignored. */
export function findOrientation(matrix: DisplayMatrix): Orientation {
  const likeness = (other: DisplayMatrix) =>
    other.reduce((sum, value, index) => sum + value * matrix[index]!, 0)
  const [first, ...others] = orientations
  let best = { orientation: first![1], likeness: likeness(first![0]) }
  for (const [other, orientation] of others) {
    const found = likeness(other)
    if (found > best.likeness) best = { orientation, likeness: found }
  }
  return best.orientation
}

const rotations: Record<Orientation, Rotation> = { 1: 0, 2: 0, 3: 180, 4: 180, 5: 270, 6: 90, 7: 90, 8: 270 }

/** The rotation of an orientation, applied after its mirroring. */
export const toRotation = (orientation: Orientation): Rotation => rotations[orientation]
