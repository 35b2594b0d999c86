import { describe, expect, it } from 'vitest'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { ramp } from '../../fixtures/pictures.ts'

describe('a codec that failed', () => {
  it('throws an error with the reason, and encodes the next picture', async () => {
    const error = await testCodecs
      .encodeJpeg({ image: ramp(1, 66_000), quality: 80 })
      .catch((thrown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(error.message).toMatch(/65500/)
    expect((await testCodecs.encodeJpeg({ image: ramp(16, 16), quality: 80 })).length).toBeGreaterThan(100)
  })
})

/** A disc with a soft pattern in front of a uniform background: few different coefficients, as in a small portrait. */
function disc(side: number, radius: number, seed: number): RgbaImage {
  const data = new Uint8ClampedArray(side * side * 4)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const inside = Math.hypot(x - side / 2, y - side / 2) < radius
      const grain = Math.abs(Math.sin((y * side + x + 1) * seed * 12.9898) * 43758.5453) % 20
      const value = grain + (inside ? 170 + 40 * Math.sin(x / 7) * Math.cos(y / 9) : 60)
      data.set([value, value, value, 255], (y * side + x) * 4)
    }
  }
  return { width: side, height: side, data }
}

/** Mean square difference of the red channels. */
function difference(a: RgbaImage, b: RgbaImage): number {
  let sum = 0
  for (let at = 0; at < a.data.length; at += 4) sum += (a.data[at]! - b.data[at]!) ** 2
  return (sum * 4) / a.data.length
}

describe('the JPEG encoder', () => {
  it.each([40, 50, 60, 80, 90])('writes files that decode to the picture at quality %i', async (quality) => {
    const damaged: string[] = []
    for (const side of [24, 48, 96, 120]) {
      for (let seed = 1; seed <= 8; seed++) {
        const image = disc(side, side * (0.2 + seed / 40), seed)
        const decoded = await testCodecs.decode('jpeg', await testCodecs.encodeJpeg({ image, quality }))
        if (difference(decoded, image) > 300) damaged.push(`side ${side}, seed ${seed}`)
      }
    }
    expect(damaged).toEqual([])
  })
})
