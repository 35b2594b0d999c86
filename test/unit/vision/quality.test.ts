/** Quality measures on synthetic samples with known values. */

import { describe, expect, it } from 'vitest'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { reliableSample } from '../../../src/vision/pad/pad-method.ts'
import { measureQuality, type SampleQuality } from '../../../src/vision/quality.ts'
import { faceIn } from '../../fixtures/assessments.ts'
import { toPyramid } from '../../fixtures/codecs.ts'
import { madeUpMesh } from '../../fixtures/made-up-mesh.ts'

type Colour = readonly [red: number, green: number, blue: number]

const side = 256

function paint(colourAt: (x: number, y: number) => Colour | number): RgbaImage {
  const data = new Uint8ClampedArray(side * side * 4)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const colour = colourAt(x, y)
      data.set([...(typeof colour === 'number' ? [colour, colour, colour] : colour), 255], (y * side + x) * 4)
    }
  }
  return { width: side, height: side, data }
}

/** A seeded sequence of numbers from 0 to 1. */
function random(): () => number {
  let state = 7
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const face = faceIn({ x: 64, y: 32, width: 128, height: 160 })
const mesh = madeUpMesh({ side: 128, centre: { x: 128, y: 112 } })

const measure = (image: RgbaImage): SampleQuality => measureQuality(toPyramid(image), face, mesh)

describe('sample quality', () => {
  it('measures the size of the face in pixels and relative to the picture', () => {
    const { faceSide, faceShare, surroundings } = measure(paint(() => 128))
    expect(faceSide).toBe(160)
    expect(faceShare).toBeCloseTo((128 * 160) / side ** 2, 9)
    expect(surroundings).toBeCloseTo(side / 160, 9)
  })

  it('of a uniform grey has a brightness and is otherwise zero', () => {
    const quality = measure(paint(() => 102))
    expect(quality.brightness).toBeCloseTo(0.4, 3)
    for (const name of ['sharpness', 'noise', 'underexposed', 'overexposed', 'colour', 'blockiness'] as const)
      expect([name, quality[name]]).toEqual([name, expect.closeTo(0, 3)])
  })

  it.each([
    ['red', [255, 0, 0], 0.299],
    ['green', [0, 255, 0], 0.587],
    ['blue', [0, 0, 255], 0.114],
  ] as [string, Colour, number][])('weighs %s by ITU-R BT.601', (_, colour, expected) => {
    expect(measure(paint(() => colour)).brightness).toBeCloseTo(expected, 3)
  })

  it('measures the shares of nearly black and nearly white pixels in the square around the face', () => {
    const { underexposed, overexposed } = measure(paint((x) => (x < 128 ? 5 : 250)))
    expect(underexposed).toBeCloseTo(0.5, 1)
    expect(overexposed).toBeCloseTo(0.5, 1)
  })

  describe('colour', () => {
    const shade = (x: number, y: number) => 110 + 45 * Math.sin(x / 31) + 40 * Math.cos(y / 23)
    const tint =
      (...gains: Colour) =>
      (x: number, y: number): Colour =>
        gains.map((gain) => shade(x, y) * gain) as unknown as Colour
    const change =
      (
        colourAt: (x: number, y: number) => Colour,
        by: (value: number, channel: number, x: number, y: number) => number,
      ) =>
      (x: number, y: number) =>
        colourAt(x, y).map((value, channel) => by(value, channel, x, y)) as unknown as Colour
    const warm = tint(1.15, 1, 0.8)
    const next = random()
    const greys: Record<string, (x: number, y: number) => Colour> = {
      grey: tint(1, 1, 1),
      'in warm light': warm,
      'in strongly coloured light': tint(1.1, 1, 0.3),
      'in warm light, with coloured noise': change(warm, (value) => value + 30 * (next() - 0.5)),
      'with a lamp of another colour on one side': change(
        warm,
        (value, channel, x) => value * (1 + [0.0006, 0, -0.0008][channel]! * x),
      ),
      'under an orange veil': change(tint(1, 1, 1), (value, channel) => 0.9 * value + [25, 13, 0][channel]!),
      'with coloured lips': change(warm, (value, channel, x, y) =>
        Math.abs(x - 128) < 24 && Math.abs(y - 150) < 14 ? value * [1.1, 0.75, 0.9][channel]! : value,
      ),
      'too bright': (x, y) => [255, 255, 200 + ((x + y) % 40)],
      'nearly black': (x, y) => [(x + y) % 9, (x + y) % 8, (x + y) % 6],
    }
    it.each(Object.entries(greys))('is none in a picture that is grey, %s', (_, colourAt) => {
      expect(measure(paint(colourAt)).colour).toBeLessThan(reliableSample.colourMin)
    })

    it('is what brightness does not explain, in per cent of the brightness', () => {
      // Red and blue quarters of the same brightness, which no gradient follows.
      const quarters = paint((x, y) => (x < 128 === y < 112 ? [140, 100, 91] : [100, 100, 196]))
      expect(measure(quarters).colour).toBeGreaterThan(15)
      const slight = paint((x, y) => (x < 128 === y < 112 ? [112, 100, 97] : [100, 100, 128]))
      expect(measure(slight).colour).toBeGreaterThan(reliableSample.colourMin)
      expect(measure(slight).colour).toBeLessThan(measure(quarters).colour! / 2)
    })
  })

  it('measures a higher sharpness if the same pattern is finer', () => {
    const waves = (length: number) => measure(paint((x) => 128 + 90 * Math.sin((2 * Math.PI * x) / length)))
    const [fine, middle, coarse] = [waves(12).sharpness, waves(24).sharpness, waves(96).sharpness]
    expect(fine).toBeGreaterThan(5 * middle)
    expect(middle).toBeGreaterThan(5 * coarse)
  })

  it('measures the noise that was added, and none at an edge', () => {
    const next = random()
    const deviation = 6
    // The sum of twelve uniform numbers is nearly normal, with a variance of 1.
    const normal = () => Array.from({ length: 12 }, next).reduce((sum, value) => sum + value, -6)
    const { noise } = measure(paint(() => 128 + deviation * normal()))
    // The lower quartile of small windows is slightly below the overall value.
    expect(noise).toBeGreaterThan(deviation * 0.75)
    expect(noise).toBeLessThan(deviation * 1.05)
    expect(measure(paint((x) => (x < 120 ? 60 : 200))).noise).toBe(0)
  })

  it('measures blockiness only if both directions have blocks on the grid of a JPEG', () => {
    const steps = (of: number) => (x: number, y: number) =>
      100 + 6 * ((Math.floor(x / of) + Math.floor(y / of)) % 3)
    expect(measure(paint(steps(8))).blockiness).toBeGreaterThan(10)
    expect(measure(paint((x) => 100 + 6 * (Math.floor(x / 8) % 3))).blockiness).toBe(0)
    expect(measure(paint(steps(7))).blockiness).toBeLessThan(2)
  })
})
