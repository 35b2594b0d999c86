import { describe, expect, it } from 'vitest'
import { applyHomography, fitHomography, type Homography } from '../../../../src/vision/clip/homography.ts'

const tilt: Homography = [1.2, 0.1, 40, -0.05, 0.9, 25, 0.0004, -0.0003, 1]
const places = Array.from({ length: 30 }, (_, i) => ({
  x: 300 + (i % 6) * 37,
  y: 200 + Math.floor(i / 6) * 41,
}))

describe('fitHomography', () => {
  it('recovers a homography from points mapped by it', () => {
    const found = fitHomography(
      places,
      places.map((place) => applyHomography(tilt, place)),
    )
    for (const place of [...places, { x: 0, y: 0 }, { x: 640, y: 480 }]) {
      const [wanted, given] = [applyHomography(tilt, place), applyHomography(found, place)]
      expect(Math.hypot(wanted.x - given.x, wanted.y - given.y)).toBeLessThan(1e-6)
    }
  })

  it('averages out small errors of the points', () => {
    const shaken = places.map((place, i) => {
      const { x, y } = applyHomography(tilt, place)
      return { x: x + Math.sin(i * 12.9) * 0.5, y: y + Math.cos(i * 78.2) * 0.5 }
    })
    const found = fitHomography(places, shaken)
    const errors = places.map((place) => {
      const [wanted, given] = [applyHomography(tilt, place), applyHomography(found, place)]
      return Math.hypot(wanted.x - given.x, wanted.y - given.y)
    })
    expect(Math.max(...errors)).toBeLessThan(1)
  })
})
