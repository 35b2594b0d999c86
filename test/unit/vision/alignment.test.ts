/** Face alignment for the networks: the points of synthetic heads must be warped to known positions. */

import { describe, expect, it } from 'vitest'
import type { Engine, ModelId, Tensor } from '../../../src/inference/engine.ts'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import type { DetectedFace } from '../../../src/vision/face.ts'
import { fitFaceMesh, meshIndex } from '../../../src/vision/facemesh.ts'
import { midpoint, type Point } from '../../../src/vision/geometry.ts'
import { openFacepluginTemplates } from '../../../src/vision/templates/faceplugin.ts'
import { toPyramid } from '../../fixtures/codecs.ts'
import { madeUpMesh } from '../../fixtures/made-up-mesh.ts'

/** A black picture with bright discs at some points. */
function discs(points: readonly Point[], radius: number): RgbaImage {
  const side = 512
  const data = new Uint8ClampedArray(side * side * 4)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const isNear = points.some((p) => Math.hypot(x + 0.5 - p.x, y + 0.5 - p.y) < radius)
      data.set(isNear ? [250, 200, 150, 255] : [0, 0, 0, 255], (y * side + x) * 4)
    }
  }
  return { width: side, height: side, data }
}

function networkThatAnswers(outputs: Record<string, Tensor>): Engine & { seen: [ModelId, Tensor][] } {
  const seen: [ModelId, Tensor][] = []
  return {
    seen,
    async run(model, image) {
      seen.push([model, { ...image, data: image.data.slice() }])
      return outputs
    },
  }
}

/** Centre of the pixels brighter than half around a position in one plane. */
function brightCentre(plane: Float32Array, width: number, near: Point, reach: number, half: number): Point {
  let [sumX, sumY, count] = [0, 0, 0]
  for (let y = Math.floor(near.y - reach); y < near.y + reach; y++) {
    for (let x = Math.floor(near.x - reach); x < near.x + reach; x++) {
      if ((plane[y * width + x] ?? 0) < half) continue
      sumX += x + 0.5
      sumY += y + 0.5
      count++
    }
  }
  return { x: sumX / count, y: sumY / count }
}

describe('alignment for templates', () => {
  const turns = [
    ['upright', {}, 260],
    ['leaning to the left shoulder', { roll: 28 }, 260],
    ['upside down', { roll: 180 }, 200],
    ['small', {}, 90],
  ] as const

  it.each(turns)('warps the eyes of a head that is %s to their positions', async (_, turned, side) => {
    const mesh = madeUpMesh({ turned, side, centre: { x: 250, y: 255 } })
    const eyes = (
      [
        ['rightEyeOuter', 'rightEyeInner'],
        ['leftEyeInner', 'leftEyeOuter'],
      ] as const
    ).map(([outer, inner]) => midpoint(mesh.points[meshIndex[outer]]!, mesh.points[meshIndex[inner]]!))
    const network = networkThatAnswers({
      template: { data: Float32Array.from({ length: 160 }, (_, i) => (i === 3 ? 2 : 0)), shape: [1, 160] },
    })
    const vector = await openFacepluginTemplates(network).extract(toPyramid(discs(eyes, side / 25)), mesh)
    expect(vector[3]).toBe(1)
    const [[model, { data, shape }]] = network.seen as [[ModelId, Tensor]]
    expect([model, shape]).toEqual(['faceplugin-feature', [1, 3, 112, 112]])
    // Blue first: (value − 127) / 128.
    const plane = data.subarray(0, 112 * 112)
    expect(Math.max(...plane)).toBeCloseTo((150 - 127) / 128, 1)
    expect(Math.min(...plane)).toBeCloseTo(-127 / 128, 5)
    // The synthetic head has other proportions than a face, so not all five points are hit exactly.
    const right = brightCentre(plane, 112, { x: 38.29, y: 51.7 }, 12, -0.4)
    const left = brightCentre(plane, 112, { x: 73.53, y: 51.5 }, 12, -0.4)
    expect(Math.hypot(right.x - 38.29, right.y - 51.7)).toBeLessThan(5)
    expect(Math.hypot(left.x - 73.53, left.y - 51.5)).toBeLessThan(5)
    expect(Math.abs(left.y - right.y)).toBeLessThan(1.5)
    expect(left.x - right.x).toBeGreaterThan(28)
  })
})

describe('the crop for the mesh', () => {
  /** A box with the line through the eyes at an angle in radians. */
  const faceAt = (angle: number): DetectedFace => ({
    box: { x: 180, y: 160, width: 120, height: 160 },
    confidence: 1,
    keypoints: {
      rightEye: { x: 240 - 30 * Math.cos(angle), y: 220 - 30 * Math.sin(angle) },
      leftEye: { x: 240 + 30 * Math.cos(angle), y: 220 + 30 * Math.sin(angle) },
      nose: { x: 240, y: 240 },
      mouth: { x: 240, y: 270 },
    },
  })
  /** A network whose points are the middle of the crop, its right border and its lower border. */
  const answer = () => {
    const data = new Float32Array(1404)
    data.set([96, 96, 0, 192, 96, 10, 96, 192, -10])
    return networkThatAnswers({
      mesh: { data, shape: [1, 1404] },
      presence: { data: Float32Array.of(0.75), shape: [1, 1] },
    })
  }

  it.each([0, 0.4, -1.2, Math.PI / 2])(
    'is level with eyes at %d radians, 1.5 times the box',
    async (angle) => {
      const network = answer()
      const { points, presence } = await fitFaceMesh(network, toPyramid(discs([], 1)), faceAt(angle))
      expect(presence).toBe(0.75)
      const half = (160 * 1.5) / 2
      const [cos, sin] = [Math.cos(angle) * half, Math.sin(angle) * half]
      const expected = [
        { x: 240, y: 240, z: 0 },
        { x: 240 + cos, y: 240 + sin, z: 12.5 },
        { x: 240 - sin, y: 240 + cos, z: -12.5 },
      ]
      for (const [i, point] of expected.entries()) {
        for (const axis of ['x', 'y', 'z'] as const) expect(points[i]![axis]).toBeCloseTo(point[axis], 3)
      }
    },
  )

  it('is RGB from 0 to 1', async () => {
    const network = answer()
    await fitFaceMesh(network, toPyramid(discs([{ x: 240, y: 240 }], 300)), faceAt(0))
    const [[model, { data, shape }]] = network.seen as [[ModelId, Tensor]]
    expect([model, shape]).toEqual(['facemesh-468', [1, 3, 192, 192]])
    const middle = 96 * 192 + 96
    for (const [c, value] of [250, 200, 150].entries())
      expect(data[c * 192 * 192 + middle]).toBeCloseTo(value / 255, 5)
  })
})
