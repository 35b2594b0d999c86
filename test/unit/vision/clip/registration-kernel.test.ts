/** The kernel of face registration against plain loops. */
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { chipSide } from '../../../../src/vision/clip/face-zones.ts'
import type { Homography } from '../../../../src/vision/clip/homography.ts'
import {
  RegistrationKernel,
  type Sample,
  type SampledPatch,
} from '../../../../src/vision/clip/registration-kernel.ts'
import { buildModule } from '../../../../wasm/build-module.mjs'
import { registrationKernel } from '../../../fixtures/codecs.ts'
import { generator } from '../../../fixtures/gallery.ts'

const committed = (name: string) =>
  readFile(new URL(`../../../../wasm/registration/${name}`, import.meta.url))

describe('the committed registration kernel', () => {
  it('is identical to a build of its source', async () => {
    const { bytes, sha256 } = await buildModule('registration')
    expect(Buffer.from(bytes).equals(await committed('kernel.wasm'))).toBe(true)
    expect((await committed('kernel.wasm.sha256')).toString()).toBe(`${sha256}  kernel.wasm\n`)
  })
})

const patchSide = 128
const pixels = chipSide * chipSide
const details = { narrow: 1, wide: 7, surroundingsMin: 0.8 }
const half = chipSide / 2

const smooth = (x: number, y: number, seed: number) =>
  128 + 60 * Math.sin(x / 7 + seed) * Math.cos(y / 9) + 40 * Math.sin((x + y * seed) / 4)

const patchOf = (seed: number, frame: Partial<SampledPatch> = {}): SampledPatch => ({
  grey: Uint8Array.from({ length: patchSide ** 2 }, (_, at) =>
    smooth(at % patchSide, Math.floor(at / patchSide), seed),
  ),
  toFrame: { a: 2, b: 0.3, tx: 100, ty: 80 },
  frameWidth: 640,
  frameHeight: 480,
  ...frame,
})

const view: Homography = [40, 2, 62, -3, 41, 66, 0.02, -0.03, 1]
const random = generator(5)
const bend = Array.from({ length: 20 }, () => (random() - 0.5) * 0.2)

/** Pixels of the chip within a circle. */
const face = Uint16Array.from({ length: pixels }, (_, at) => at).filter(
  (at) => Math.hypot((at % chipSide) - half, Math.floor(at / chipSide) - half) < 26,
)

/** Polynomials of the third degree, in the order of a bend. */
const termsAt = (u: number, v: number) => [1, u, v, u * u, u * v, v * v, u ** 3, u * u * v, u * v * v, v ** 3]

function boxMeanSimply(values: ArrayLike<number>, reach: number): number[] {
  const clamp = (at: number) => Math.min(chipSide - 1, Math.max(0, at))
  return Array.from({ length: pixels }, (_, at) => {
    let sum = 0
    for (let dy = -reach; dy <= reach; dy++)
      for (let dx = -reach; dx <= reach; dx++)
        sum += values[clamp(Math.floor(at / chipSide) + dy) * chipSide + clamp((at % chipSide) + dx)]!
    return sum / (2 * reach + 1) ** 2
  })
}

function sampleSimply(patch: SampledPatch, h: Homography, coefficients: readonly number[] | null): Sample {
  const { a, b, tx, ty } = patch.toFrame
  const grey: number[] = []
  const seen: number[] = []
  for (let at = 0; at < pixels; at++) {
    let [u, v] = [((at % chipSide) + 0.5 - half) / half, (Math.floor(at / chipSide) + 0.5 - half) / half]
    if (coefficients) {
      const terms = termsAt(u, v)
      u += terms.reduce((sum, term, i) => sum + term * coefficients[i]!, 0)
      v += terms.reduce((sum, term, i) => sum + term * coefficients[i + 10]!, 0)
    }
    const w = h[6] * u + h[7] * v + h[8]
    const [x, y] = [(h[0] * u + h[1] * v + h[2]) / w, (h[3] * u + h[4] * v + h[5]) / w]
    const [fx, fy] = [a * x - b * y + tx, b * x + a * y + ty]
    const isInside =
      Math.min(fx, fy) > 1 &&
      fx < patch.frameWidth - 1 &&
      fy < patch.frameHeight - 1 &&
      Math.min(x, y) > 0 &&
      Math.max(x, y) < patchSide
    const [cx, cy] = [x, y].map((place) => Math.min(patchSide - 1.001, Math.max(0, place - 0.5))) as [
      number,
      number,
    ]
    const [x0, y0] = [Math.floor(cx), Math.floor(cy)]
    const value = (dx: number, dy: number) => patch.grey[(y0 + dy) * patchSide + x0 + dx]!
    const across = (dy: number) => value(0, dy) * (1 - cx + x0) + value(1, dy) * (cx - x0)
    seen.push(isInside ? 1 : 0)
    grey.push(isInside ? across(0) * (1 - cy + y0) + across(1) * (cy - y0) : 0)
  }
  const [fine, coarse, near, far] = [
    boxMeanSimply(grey, details.narrow),
    boxMeanSimply(grey, details.wide),
    boxMeanSimply(seen, details.narrow),
    boxMeanSimply(seen, details.wide),
  ]
  const isSeen = Uint8Array.from(seen, (value, at) =>
    value === 1 && far[at]! >= details.surroundingsMin ? 1 : 0,
  )
  const values = fine.map(
    (value, at) => (value / Math.max(near[at]!, 1e-3) - coarse[at]! / Math.max(far[at]!, 1e-3)) * seen[at]!,
  )
  const ofFace = [...face].filter((at) => isSeen[at] === 1).map((at) => values[at]!)
  const mean = (list: readonly number[]) =>
    list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length)
  const variance = mean(ofFace.map((value) => value * value)) - mean(ofFace) ** 2
  const scale = 1 / (Math.sqrt(Math.max(0, variance)) + 0.5)
  return { chip: Float32Array.from(values, (value) => value * scale), isSeen }
}

const largestDifference = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let largest = 0
  for (let i = 0; i < b.length; i++) largest = Math.max(largest, Math.abs(a[i]! - b[i]!))
  return a.length === b.length ? largest : Number.POSITIVE_INFINITY
}

describe('the registration kernel', () => {
  const open = () => {
    const kernel = new RegistrationKernel(registrationKernel, patchSide, details)
    kernel.setFace(face)
    return kernel
  }

  it.each<[string, SampledPatch, Homography, readonly number[] | null]>([
    ['a whole face', patchOf(1), view, null],
    ['a bent one', patchOf(2), view, bend],
    ['a face at the border of the frame', patchOf(3, { frameWidth: 250 }), view, null],
    ['a bent one in the corner', patchOf(3, { frameWidth: 280, frameHeight: 190 }), view, bend],
    ['one that reaches beyond the patch', patchOf(4), [70, 2, 62, -3, 61, 86, 0, 0, 1], null],
    ['one outside of the frame', patchOf(4, { frameWidth: 20 }), view, null],
  ])('samples %s as plain loops do', (_, patch, toPatch, coefficients) => {
    const kernel = open()
    // Another frame before it.
    kernel.sample(patchOf(9, { frameWidth: 200 }), view, bend)
    kernel.sample(patch, toPatch, coefficients)
    const { chip, isSeen } = kernel.read()
    const expected = sampleSimply(patch, toPatch, coefficients)
    expect(isSeen).toEqual(expected.isSeen)
    expect(largestDifference(chip, expected.chip)).toBeLessThan(2e-3)
  })

  it('samples the frame it is given, whichever was sampled before, also beside another kernel', () => {
    const [a, b] = [patchOf(1), patchOf(2)]
    const tilted: Homography = [38, 0, 64, 3, 44, 60, 0, 0.02, 1]
    const alone = (patch: SampledPatch, map: Homography) => {
      const kernel = open()
      kernel.sample(patch, map)
      return kernel.read()
    }
    const [first, second] = [open(), open()]
    const frames: [SampledPatch, Homography][] = [
      [a, view],
      [a, tilted],
      [b, view],
      [b, tilted],
      [a, view],
    ]
    for (const [i, [patch, map]] of frames.entries()) {
      const [otherPatch, otherMap] = frames.at(-1 - i)!
      first.sample(patch, map)
      second.sample(otherPatch, otherMap)
      expect(first.read()).toEqual(alone(patch, map))
      expect(second.read()).toEqual(alone(otherPatch, otherMap))
    }
  })

  it.each<[string, Homography]>([
    ['nothing but NaN', Array(9).fill(Number.NaN) as unknown as Homography],
    ['infinite places', [1e38, 1e38, 1e38, 1e38, 1e38, 1e38, 0, 0, 1e-30]],
    ['a plane through the camera', [40, 2, 62, -3, 41, 66, 0, 0, 0]],
    ['a plane behind the camera', [40, 2, 62, -3, 41, 66, 0, 0, -1]],
  ])('sees nothing by a homography to %s, and goes on', (_, map) => {
    const kernel = open()
    kernel.sample(patchOf(1), map)
    const { chip, isSeen } = kernel.read()
    expect(isSeen.some(Boolean)).toBe(false)
    expect(chip.every((value) => value === 0)).toBe(true)
    kernel.sample(patchOf(1), view)
    expect(largestDifference(kernel.read().chip, sampleSimply(patchOf(1), view, null).chip)).toBeLessThan(
      2e-3,
    )
  })

  it.each([1, 7, 10])('averages windows of %i pixels on each side', (reach) => {
    const values = Float32Array.from({ length: pixels }, () => random() * 4 - 2)
    expect(largestDifference(open().boxMean(values, reach), boxMeanSimply(values, reach))).toBeLessThan(1e-5)
  })

  describe('compares a frame with the reference', () => {
    const zone = face.filter((at) => at % 3 !== 0)
    const slopes = {
      view: Float32Array.from({ length: pixels * 8 }, () => random() * 2 - 1),
      bend: Float32Array.from({ length: pixels * 20 }, () => random() * 2 - 1),
    }
    let kernel: RegistrationKernel
    let reference: Sample
    let frame: Sample
    let common: number[]

    beforeAll(() => {
      kernel = open()
      kernel.sample(patchOf(3, { frameWidth: 265 }), view)
      reference = kernel.read()
      kernel.setReference(reference, slopes)
      kernel.sample(patchOf(3.1, { frameHeight: 230 }), view)
      frame = kernel.read()
      common = [...zone].filter((at) => frame.isSeen[at] === 1 && reference.isSeen[at] === 1)
      expect(common.length).toBeLessThan(zone.length)
    })

    it('where both are visible', () => {
      const placed = kernel.placeZone(zone)
      expect(kernel.findCommon(placed, 4)).toBe(Math.ceil(common.length / 4))
      expect(kernel.findCommon(placed)).toBe(common.length)
    })

    const difference = (at: number) => frame.chip[at]! - reference.chip[at]!

    it('by mean and median', () => {
      kernel.findCommon(kernel.placeZone(zone))
      const squares = common.map((at) => difference(at) ** 2)
      const sizes = common.map((at) => Math.abs(difference(at))).sort((p, q) => p - q)
      expect(kernel.meanDifference()).toBeCloseTo(
        squares.reduce((sum, one) => sum + one, 0) / common.length,
        6,
      )
      expect(Math.abs(kernel.medianDifference() - sizes[common.length >> 1]!)).toBeLessThan(0.011)
    })

    it.each(['view', 'bend'] as const)('by the sums of products with the slopes of a %s', (kind) => {
      kernel.findCommon(kernel.placeZone(zone))
      const { matrix, right } = kernel.sumProducts(kind, 2)
      const size = right.length
      expect([matrix.length, size]).toEqual(kind === 'view' ? [8, 8] : [20, 20])
      const slope = (at: number, i: number) => slopes[kind][at * size + i]!
      const weight = (at: number) => 1 / (1 + (difference(at) * 2) ** 2)
      const sum = (value: (at: number) => number) =>
        common.reduce((total, at) => total + weight(at) * value(at), 0)
      for (let i = 0; i < size; i++) {
        expect(right[i]).toBeCloseTo(
          sum((at) => slope(at, i) * difference(at)),
          2,
        )
        for (let j = 0; j < size; j++)
          expect(matrix[i]![j]).toBeCloseTo(
            sum((at) => slope(at, i) * slope(at, j)),
            2,
          )
      }
    })

    it('again after another one was written', () => {
      const before = kernel.meanDifference()
      kernel.write(reference)
      expect(kernel.meanDifference()).toBe(0)
      kernel.write(frame)
      expect(kernel.meanDifference()).toBe(before)
    })
  })
})
