import { expect, it } from 'vitest'
import { detailsView } from '../../../src/contract/full/detail-view.ts'
import type { Bounds } from '../../../web/detail.ts'
import { qualityBars } from '../../../web/quality.ts'

it('each measure has its unit, and the range that is good', () => {
  const { quality_bounds } = detailsView([], []) as unknown as { quality_bounds: Record<string, Bounds> }
  const quality = {
    ...{ face_side: 61.7, sharpness: 0.134, brightness: 0.52, underexposed: 0.02, overexposed: 0 },
    ...{ noise: 2.34, colour: 4.21, surroundings: 2.26, blockiness: 1.08 },
  }
  const texts = qualityBars(quality, quality_bounds).map(({ name, text }) => `${name}: ${text}`)
  expect(texts.sort()).toEqual([
    'Black pixels: 2 % (≤ 40 %)',
    'Brightness: 52 % (20 % – 78 %)',
    'Colour: 4.2 % (≥ 1.0 %)',
    'Compression: 1.1× (≤ 2.5×)',
    'Face size: 62 px (≥ 80 px), small',
    'Noise: 2.3/255 (≤ 6.0/255)',
    'Room around the face: 2.3× (≥ 1.5×)',
    'Sharpness: 0.134 (≥ 0.010)',
    'White pixels: 0 % (≤ 25 %)',
  ])
})
