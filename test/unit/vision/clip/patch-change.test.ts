import { beforeAll, expect, it } from 'vitest'
import type { RgbaImage } from '../../../../src/media/rgba-image.ts'
import { cutPatch, type FacePatch } from '../../../../src/vision/clip/face-patch.ts'
import { measurePatchChange } from '../../../../src/vision/clip/patch-change.ts'
import { toPyramid } from '../../../fixtures/codecs.ts'
import { meshOf } from '../../../fixtures/meshes.ts'
import { type PortraitName, portraitImage } from '../../../fixtures/portraits.ts'

const patchOf = async (image: RgbaImage): Promise<FacePatch> =>
  cutPatch(toPyramid(image), await meshOf(image), 0)

const darker = (image: RgbaImage): RgbaImage => ({
  ...image,
  data: image.data.map((value, i) => (i % 4 === 3 ? value : value * 0.7)),
})

let patches: Record<string, FacePatch>
beforeAll(async () => {
  const names: PortraitName[] = ['redhead', 'redheadAgain', 'brunette']
  const images = await Promise.all(names.map(portraitImage))
  const found = await Promise.all([...images, darker(images[0]!)].map(patchOf))
  patches = Object.fromEntries([...names, 'darker'].map((name, i) => [name, found[i]!]))
})

it.each([
  ['the same picture', 'redhead', 0, 0.001],
  ['a darker frame', 'darker', 0, 0.05],
  ['another photo of the person', 'redheadAgain', 0.3, 2],
  ['a photo of a stranger', 'brunette', 0.3, 2],
])('the change to %s', (_, name, from, to) => {
  const change = measurePatchChange(patches.redhead!, patches[name]!)
  expect(change).toBeGreaterThan(from - 1e-9)
  expect(change).toBeLessThan(to)
})
