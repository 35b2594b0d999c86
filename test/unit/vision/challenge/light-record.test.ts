import { describe, expect, it } from 'vitest'
import {
  colourUnits,
  lightZones,
  recordLight,
  toLinear,
  unseen,
} from '../../../../src/vision/challenge/light-record.ts'
import { toPyramid } from '../../../fixtures/codecs.ts'
import { madeUpMesh } from '../../../fixtures/made-up-mesh.ts'

/** Red on the left half, grey on the right. */
const picture = (width = 400, height = 400) => {
  const data = new Uint8ClampedArray(width * height * 4)
  for (let i = 0; i < width * height; i++)
    data.set(i % width < width / 2 ? [200, 0, 0, 255] : [128, 128, 128, 255], i * 4)
  return toPyramid({ width, height, data })
}

const colourOf = (colours: readonly number[], zone: (typeof lightZones)[number]) => {
  const at = lightZones.indexOf(zone) * 3
  return colours.slice(at, at + 3)
}

describe('the light of a frame', () => {
  it('is the linear colour of each zone', () => {
    const mesh = madeUpMesh({ centre: { x: 200, y: 200 }, side: 150 })
    const { share, colours } = recordLight(picture(), mesh, 1)
    const [red, grey] = [200, 128].map((value) => Math.round(toLinear(value / 255) * colourUnits))
    expect(share).toBeCloseTo((0.9 * 150) / 400, 5)
    expect(colourOf(colours, 'rightBackground')).toEqual([red, 0, 0])
    expect(colourOf(colours, 'leftBackground')).toEqual([grey, grey, grey])
  })

  it('is unknown where a zone lies beyond the picture', () => {
    const mesh = madeUpMesh({ centre: { x: 200, y: 330 }, side: 150 })
    const { colours } = recordLight(picture(), mesh, 1)
    expect(colourOf(colours, 'neck')).toEqual([unseen, unseen, unseen])
    expect(colourOf(colours, 'top')).not.toContain(unseen)
  })

  it('is unknown for a mesh without a place', () => {
    const { points, presence } = madeUpMesh()
    const lost = points.map(() => ({ x: Number.NaN, y: Number.NaN, z: 0 }))
    const { colours } = recordLight(picture(), { points: lost, presence }, 1)
    expect(new Set(colours)).toEqual(new Set([unseen]))
  })
})
