import { describe, expect, it } from 'vitest'
import { measureApproach } from '../../../../src/vision/challenge/measure-approach.ts'
import {
  type Nearing,
  type NearingCamera,
  simulateApproach,
} from '../../../../tools/accuracy/challenge/nearing-meshes.ts'
import { generator } from '../../../fixtures/gallery.ts'
import { madeUpHead } from '../../../fixtures/made-up-head.ts'

const camera: NearingCamera = {
  focalLength: 0.75,
  aspect: 9 / 16,
  from: 0.3,
  to: 0.62,
  framesPerSecond: 10,
  durationS: 3,
  noise: 0.003,
  bias: 0.002,
}
const step = { from: 0.3, to: 0.62 }
const window = { fromS: 0, toS: 3 }

const measure = (nearing: Nearing, change: Partial<NearingCamera> = {}, seed = 5) =>
  measureApproach(
    simulateApproach(madeUpHead, nearing, { ...camera, ...change }, generator(seed)),
    step,
    window,
  )

describe('a face that comes nearer', () => {
  it('has the depth of a head', () => {
    const found = measure('person')
    expect(found).toMatchObject({ status: 'performed', advice: '' })
    expect(found.depth!).toBeGreaterThan(0.7)
    expect(found.depth!).toBeLessThan(1.3)
    expect(found.error!).toBeLessThan(0.15)
    expect(found.growth!).toBeGreaterThan(1.8)
  })

  const flat = [
    'zoom',
    'tablet',
    'bent print',
    'tilted print',
    'bent print, turning',
    'cut print around a head',
  ] as const

  it.each(flat)('is flat: %s', (nearing) => {
    const counts = { performed: 0, not_performed: 0, cannot_tell: 0 }
    for (let seed = 1; seed <= 30; seed++)
      counts[measure(nearing, { noise: 0.0006, bias: 0.0003 }, seed).status]++
    expect(counts.performed).toBe(0)
    expect(counts.not_performed).toBeGreaterThan(20)
  })

  it.each(flat)('is no head where points are inexact: %s', (nearing) => {
    const found = measure(nearing)
    expect(Math.abs(found.depth!)).toBeLessThan(0.3)
    expect(found.status).not.toBe('performed')
  })

  it('is not told from a small step', () => {
    expect(measure('person', { to: 0.38 })).toMatchObject({
      status: 'cannot_tell',
      advice: 'nearer',
    })
  })

  it('is told a little beside the widths that are asked for', () => {
    expect(measure('person', { from: 0.32, to: 0.6 }).status).toBe('performed')
  })

  it.each([
    ['that began too near', { from: 0.4, to: 0.9 }],
    ['that stayed too far away', { from: 0.2, to: 0.5 }],
  ])('is not told from a step %s', (_, change) => {
    expect(measure('person', change)).toMatchObject({ status: 'cannot_tell', advice: 'nearer' })
  })

  it('is not told from a face that goes away', () => {
    const { depths, frames } = simulateApproach(madeUpHead, 'person', camera, generator(5))
    const reversed = frames.map(({ timeS }, i) => ({ ...frames.at(-1 - i)!, timeS }))
    expect(measureApproach({ depths, frames: reversed }, step, window)).toMatchObject({
      status: 'cannot_tell',
      advice: 'nearer',
    })
  })

  it('is not told from a depth that no head has', () => {
    const { depths, frames } = simulateApproach(madeUpHead, 'person', camera, generator(5))
    const shallow = depths.map((depth) => depth / 3)
    const found = measureApproach({ depths: shallow, frames }, step, window)
    expect(found.depth!).toBeGreaterThan(2)
    expect(found).toMatchObject({ status: 'cannot_tell' })
  })

  it('is not told from points that do not hold still', () => {
    expect(measure('person', { noise: 0.08 })).toMatchObject({ status: 'cannot_tell', advice: 'hold_still' })
  })

  it('is not told from few frames, and from none', () => {
    expect(measure('person', { durationS: 0.6 }).status).toBe('cannot_tell')
    expect(measureApproach({ depths: [], frames: [] }, step, window).status).toBe('cannot_tell')
  })

  it('is not told from frames that do not differ', () => {
    const { depths, frames } = simulateApproach(madeUpHead, 'person', camera, generator(5))
    const frozen = frames.map(({ timeS }) => ({ ...frames[0]!, timeS }))
    expect(measureApproach({ depths, frames: frozen }, step, window).status).toBe('cannot_tell')
  })
})
