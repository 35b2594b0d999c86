import { describe, expect, it } from 'vitest'
import { estimateLux, holdExposure, isOutshone } from '../../client/capture/exposure.ts'

/** A camera with these abilities and settings; `applied` has the constraints that it was given. */
function makeCamera(can: object, settings: object = {}, refuses = false) {
  const applied: object[] = []
  const track = {
    getCapabilities: () => can,
    getSettings: () => settings,
    getConstraints: () => ({ width: { ideal: 1280 } }),
    applyConstraints: async (constraints: object) => {
      if (refuses) throw new DOMException('', 'OverconstrainedError')
      applied.push(constraints)
    },
  }
  return { stream: { getVideoTracks: () => [track] } as unknown as MediaStream, applied }
}

describe('exposure and white balance', () => {
  it('are held as far as the camera can, with the size it has, and released', async () => {
    const { stream, applied } = makeCamera({
      exposureMode: ['continuous', 'manual'],
      whiteBalanceMode: ['continuous'],
    })
    const release = await holdExposure(stream)
    expect(applied).toEqual([{ width: { ideal: 1280 }, advanced: [{ exposureMode: 'manual' }] }])
    release()
    expect(applied[1]).toEqual({ width: { ideal: 1280 }, advanced: [{ exposureMode: 'continuous' }] })
  })

  it('are left alone where the camera cannot hold them, or refuses', async () => {
    const plain = makeCamera({})
    const release = await holdExposure(plain.stream)
    release()
    expect(plain.applied).toEqual([])
    const { stream } = makeCamera({ exposureMode: ['manual'] }, {}, true)
    await expect(holdExposure(stream)).resolves.toBeTypeOf('function')
  })

  it('tell how bright it is', () => {
    // A hundredth of a second at ISO 50, as cameras of phones choose near a window.
    expect(estimateLux({ exposureTime: 100, iso: 50 })).toBeCloseTo(2000)
    expect(estimateLux({ exposureTime: 333, iso: 400 })).toBeCloseTo(75, 0)
    expect(estimateLux({ exposureTime: 333 })).toBeNull()
    expect(isOutshone(makeCamera({}, { exposureTime: 10, iso: 50 }).stream)).toBe(true)
    expect(isOutshone(makeCamera({}, { exposureTime: 333, iso: 400 }).stream)).toBe(false)
    expect(isOutshone(makeCamera({}).stream)).toBe(false)
    expect(isOutshone(null)).toBe(false)
  })
})
