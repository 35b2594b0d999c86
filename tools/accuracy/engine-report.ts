/** How far the mesh points of two engines are apart. */
import { eyeDistance, type FaceMesh } from '../../src/vision/facemesh.ts'
import { distance } from '../../src/vision/geometry.ts'

/** Offsets of the points of one face, in shares of its eye distance. */
export interface MeshOffsets {
  mean: number
  max: number
}

/** @param expected of the same points; its eyes are the measure */
export function measureOffsets(found: FaceMesh, expected: FaceMesh): MeshOffsets {
  const unit = eyeDistance(expected)
  const offsets = found.points.map((point, i) => distance(point, expected.points[i]!) / unit)
  return {
    mean: offsets.reduce((sum, offset) => sum + offset, 0) / offsets.length,
    max: Math.max(...offsets),
  }
}

const fine = (share: number) => `${(share * 100).toFixed(3)} %`

export function engineText(portraits: number, offsets: readonly MeshOffsets[]): string {
  const line = (name: string, values: number[]) => {
    const sorted = values.sort((a, b) => a - b)
    const at = (share: number) => fine(sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN)
    return `${name}: median ${at(0.5)}, 95 % within ${at(0.95)}, largest ${at(1)}`
  }
  return [
    `${offsets.length} faces on ${portraits} portraits; offsets between our engine and the ONNX runtime, of the eye distance`,
    line(
      'mean of a face',
      offsets.map(({ mean }) => mean),
    ),
    line(
      'largest of a face',
      offsets.map(({ max }) => max),
    ),
  ].join('\n')
}
