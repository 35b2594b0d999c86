import { expect, it } from 'vitest'
import { eyeDistance, moveMesh } from '../../../src/vision/facemesh.ts'
import { engineText, measureOffsets } from '../../../tools/accuracy/engine-report.ts'
import { madeUpMesh } from '../../fixtures/made-up-mesh.ts'

it('measures how far two meshes are apart, in eye distances', () => {
  const mesh = madeUpMesh()
  expect(measureOffsets(mesh, mesh)).toEqual({ mean: 0, max: 0 })
  const unit = eyeDistance(mesh)
  const { mean, max } = measureOffsets(moveMesh(mesh, { x: unit / 100, y: 0 }), mesh)
  expect(mean).toBeCloseTo(0.01)
  expect(max).toBeCloseTo(0.01)
})

it('prints the middle and the end', () => {
  const offsets = [0.003, 0.001, 0.002].map((mean) => ({ mean, max: 2 * mean }))
  const [head, means, largest] = engineText(4, offsets).split('\n')
  expect(head).toMatch(/^3 faces on 4 portraits/)
  expect(means).toBe('mean of a face: median 0.200 %, 95 % within 0.200 %, largest 0.300 %')
  expect(largest).toBe('largest of a face: median 0.400 %, 95 % within 0.400 %, largest 0.600 %')
})
