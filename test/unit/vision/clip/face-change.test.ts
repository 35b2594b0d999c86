import { describe, expect, it } from 'vitest'
import type { RgbaImage } from '../../../../src/media/rgba-image.ts'
import { chipFrame, cutChip, type FaceChip, faceChange } from '../../../../src/vision/clip/face-change.ts'
import { applyHomography, fitHomography, type Homography } from '../../../../src/vision/clip/homography.ts'
import type { FaceMesh } from '../../../../src/vision/facemesh.ts'
import { Pyramid } from '../../../../src/vision/pyramid.ts'
import { portraitImage } from '../../../fixtures/portraits.ts'

/** A grid of mesh points over the middle of a picture, the eye corners where a face has them. */
function madeUpMesh(side: number): FaceMesh {
  const points = Array.from({ length: 468 }, (_, i) => ({
    x: side * (0.3 + 0.4 * ((i % 22) / 21)),
    y: side * (0.3 + 0.4 * (Math.floor(i / 22) / 21)),
    z: 0,
  }))
  points[33] = { x: side * 0.35, y: side * 0.42, z: 0 }
  points[263] = { x: side * 0.65, y: side * 0.42, z: 0 }
  return { points, presence: 1 }
}

/** The picture as a camera sees it whose view is moved by a homography. */
function seen(image: RgbaImage, view: Homography): RgbaImage {
  const { width, height, data } = image
  const corners = [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
    [width / 2, height / 3],
  ].map(([x, y]) => ({ x: x!, y: y! }))
  const back = fitHomography(
    corners.map((corner) => applyHomography(view, corner)),
    corners,
  )
  const out = new Uint8ClampedArray(data.length)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const { x: u, y: v } = applyHomography(back, { x: x + 0.5, y: y + 0.5 })
      const px = Math.min(width - 1, Math.max(0, Math.floor(u)))
      const py = Math.min(height - 1, Math.max(0, Math.floor(v)))
      out.set(data.subarray((py * width + px) * 4, (py * width + px) * 4 + 4), (y * width + x) * 4)
    }
  }
  return { width, height, data: out }
}

const views: Homography[] = [0, 1, 2, 3, 4, 5].map((i) => [
  1 + 0.02 * i,
  0.015 * i,
  -4 * i,
  -0.01 * i,
  1 + 0.01 * i,
  3 * i,
  0.00006 * i,
  -0.00004 * i,
  1,
])

describe('the change of a face in a clip', () => {
  it('is next to nothing for a flat picture that is moved', async () => {
    const image = await portraitImage('redhead')
    const mesh = madeUpMesh(image.width)
    const frame = chipFrame(mesh)
    const chips = views.map((view) => {
      const points = mesh.points.map((point) => ({ ...applyHomography(view, point), z: 0 }))
      return cutChip(new Pyramid(seen(image, view)), { points, presence: 1 }, frame)
    })
    expect(faceChange(chips)).toBeLessThan(0.08)
  })

  it('is large for pictures that differ', async () => {
    const names = ['redhead', 'redheadAgain', 'brunette', 'longHair', 'smiling'] as const
    const chips: FaceChip[] = []
    for (const name of names) {
      const image = await portraitImage(name)
      const mesh = madeUpMesh(image.width)
      chips.push(cutChip(new Pyramid(image), mesh, chipFrame(mesh)))
    }
    expect(faceChange(chips)).toBeGreaterThan(1)
  })

  it('is not told from a few frames', () => {
    expect(faceChange([new Float32Array(4), new Float32Array(4)])).toBeNull()
  })
})
