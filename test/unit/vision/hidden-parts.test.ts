import { describe, expect, it } from 'vitest'
import { measureHiddenParts } from '../../../src/vision/hidden-parts.ts'
import { toPyramid } from '../../fixtures/codecs.ts'
import { madeUpMesh } from '../../fixtures/made-up-mesh.ts'
import { assessPhoto } from '../../fixtures/networks.ts'
import { hasTestData, testData } from '../../fixtures/test-data.ts'

type Colour = readonly [number, number, number]

const side = 256
const underEyes = [119, 230, 348, 450]
const aroundMouth = [167, 393, 205, 425, 202, 422, 199, 200]

/**
 * Eyes and mouth of a face in a picture of three bands.
 * @param bare number of places around the mouth that look like skin
 */
function hidden(underTheEyes: Colour, skin: Colour, mouth: Colour, bare = 0): [eyes: number, mouth: number] {
  const image = { width: side, height: side, data: new Uint8ClampedArray(side * side * 4).fill(255) }
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      image.data.set(y < 96 ? underTheEyes : y < 160 ? skin : mouth, (y * side + x) * 4)
  const mesh = madeUpMesh()
  const points = mesh.points.map((point, index) => {
    const isCovered = aroundMouth.indexOf(index) >= bare
    return { ...point, x: 128, y: underEyes.includes(index) ? 64 : isCovered ? 192 : 128 }
  })
  const { eyesHidden, mouthHidden } = measureHiddenParts(toPyramid(image), { ...mesh, points }, 4)
  return [eyesHidden, mouthHidden]
}

const light: Colour = [222, 176, 148]
const brown: Colour = [150, 100, 76]
const dark: Colour = [84, 56, 44]
const beard: Colour = [52, 38, 30]
const scaled = (colour: Colour, by: number) => colour.map((value) => value * by) as unknown as Colour

describe('the eyes', () => {
  it('are not hidden if the skin around them looks like the other, in a little more light too', () => {
    expect(hidden(light, light, light)[0]).toBe(0)
    expect(hidden([130, 130, 130], [104, 104, 104], [80, 80, 80])[0]).toBe(0)
  })

  it('are hidden by dark glasses', () => {
    expect(hidden([10, 10, 10], [104, 104, 104], [104, 104, 104])[0]).toBe(1)
  })
})

describe('the mouth', () => {
  it.each(Object.entries({ light, brown, dark }))('is not hidden by shadow on %s skin', (_, skin) => {
    expect(hidden(skin, skin, skin)[1]).toBe(0)
    expect(hidden(skin, skin, scaled(skin, 0.75))[1]).toBe(0)
  })

  it.each<[string, Colour]>([
    ['white', [235, 235, 232]],
    ['blue', [150, 190, 215]],
    ['black', [30, 30, 33]],
    ['green', [60, 110, 80]],
  ])('is hidden by a %s mask', (_, mask) => {
    for (const skin of [light, brown]) expect(hidden(skin, skin, mask)[1]).toBeGreaterThan(0.5)
  })

  it('is half hidden by a colour half as far from the skin as a clear one', () => {
    const skin: Colour = [104, 104, 104]
    // The logarithm of (134.2 + 32) / (104 + 32) is 0.2.
    expect(hidden(skin, skin, [134.2, 104, 104])[1]).toBeCloseTo(0.5, 1)
  })

  it('is not hidden by a beard that leaves three of eight places bare', () => {
    expect(hidden(light, light, beard, 2)[1]).toBeGreaterThan(0)
    expect(hidden(light, light, beard, 3)[1]).toBe(0)
  })
})

describe.skipIf(!hasTestData)('a drawn mask over a photo', () => {
  it('hides the mouth', async () => {
    const wanted = { faces: true, template: false, pad: false, bestShot: false }
    const photo = await testData('reports', 'face-mask-mouth_hidden-0.jpg')
    const { subject } = await assessPhoto(photo, wanted)
    expect(subject!.quality.mouthHidden).toBeGreaterThan(0.5)
    expect(subject!.quality.eyesHidden).toBeLessThan(0.5)
  })
})
