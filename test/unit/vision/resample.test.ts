import { describe, expect, it } from 'vitest'
import { boxMap, similarityMap } from '../../../src/vision/geometry.ts'
import { enlargePlanes, warpToTensor } from '../../../src/vision/resample.ts'
import { shrinkImage, toPyramid } from '../../fixtures/codecs.ts'
import { ramp } from '../../fixtures/pictures.ts'

const options = { width: 8, height: 8, order: 'rgb', sampling: 'plain', outside: 'border' } as const

describe('shrinkImage', () => {
  it('keeps the mean brightness whatever the ratio', () => {
    const image = ramp(97, 61)
    const mean = (data: Uint8ClampedArray) =>
      data.filter((_, i) => i % 4 === 0).reduce((sum, v) => sum + v, 0) / (data.length / 4)
    expect(mean(shrinkImage(image, 40, 23).data)).toBeCloseTo(mean(image.data), 0)
  })

  it('returns a picture that is small enough unchanged', () => {
    const image = ramp(20, 20)
    expect(shrinkImage(image, 20, 20)).toBe(image)
  })
})

describe('warpToTensor', () => {
  const image = ramp(8, 8)
  const pyramid = toPyramid(image)

  it('copies pixels one to one', () => {
    const planes = warpToTensor(pyramid, boxMap({ x: 0, y: 0, width: 8, height: 8 }, 8, 8), options)
    for (let i = 0; i < 64; i++) {
      expect(planes[i]).toBeCloseTo(image.data[i * 4]!, 4)
      expect(planes[i + 64]).toBeCloseTo(image.data[i * 4 + 1]!, 4)
      expect(planes[i + 128]).toBeCloseTo(image.data[i * 4 + 2]!, 4)
    }
  })

  it('swaps red and blue for BGR networks', () => {
    const map = boxMap({ x: 0, y: 0, width: 8, height: 8 }, 8, 8)
    const rgb = warpToTensor(pyramid, map, options)
    const bgr = warpToTensor(pyramid, map, { ...options, order: 'bgr' })
    expect([...bgr.subarray(0, 64)]).toEqual([...rgb.subarray(128)])
  })

  it('replicates the border or fills with black', () => {
    const away = similarityMap({ a: 1, b: 0, tx: 100, ty: 0 })
    expect(warpToTensor(pyramid, away, options)[0]).toBe(image.data[7 * 4])
    expect(warpToTensor(pyramid, away, { ...options, outside: 'black' })[0]).toBe(0)
  })

  it('averages what a shrunk pixel covers', () => {
    const fine = ramp(64, 64)
    const map = boxMap({ x: 0, y: 0, width: 64, height: 64 }, 8, 8)
    const averaged = warpToTensor(toPyramid(fine), map, { ...options, sampling: 'averaged' })
    // The blue pattern alternates every 8 pixels, so each cell has a single value.
    expect(averaged[128]).toBeCloseTo(fine.data[2]!, 0)
  })
})

describe('enlargePlanes', () => {
  it('interpolates linearly and keeps the borders, plane by plane', () => {
    const from = Float32Array.from({ length: 12 }, (_, i) => Math.floor(i / 4) * 100 + (i % 2) * 8)
    const planes = enlargePlanes(from, 2, 4)
    expect([...planes.subarray(0, 4)]).toEqual([0, 2, 6, 8])
    expect([...planes.subarray(12, 20)]).toEqual([0, 2, 6, 8, 100, 102, 106, 108])
    expect(planes).toHaveLength(48)
  })

  it('copies planes of the same size', () => {
    const from = Float32Array.from({ length: 27 }, (_, i) => i)
    expect(enlargePlanes(from, 3, 3)).toEqual(from)
  })
})
