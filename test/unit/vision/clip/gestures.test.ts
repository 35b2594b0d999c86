import { describe, expect, it } from 'vitest'
import { type FaceMoment, findGestures, type GestureName } from '../../../../src/vision/clip/gestures.ts'

const rest: Omit<FaceMoment, 'timeS'> = {
  eyeOpenness: 0.3,
  mouthWidth: 0.6,
  yaw: 3,
  pitch: -2,
  size: 0.2,
  segment: 0,
}

/** Four seconds at ten frames per second; the change applies to the given frames. */
const clip = (change: (timeS: number) => Partial<FaceMoment>): FaceMoment[] =>
  Array.from({ length: 40 }, (_, i) => ({ timeS: i / 10, ...rest, ...change(i / 10) }))

const within = (timeS: number, from: number, to: number): boolean => timeS >= from && timeS <= to

const performed = (moments: FaceMoment[]): GestureName[] =>
  Object.entries(findGestures(moments))
    .filter(([name, { isPerformed }]) => isPerformed && !['blank', 'oneshot', 'best'].includes(name))
    .map(([name]) => name as GestureName)

describe('gestures', () => {
  it.each<[GestureName[], (timeS: number) => Partial<FaceMoment>]>([
    [[], () => ({})],
    [['eyes'], (t) => (within(t, 1.9, 2.1) ? { eyeOpenness: 0.1 } : {})],
    [['smile'], (t) => (t > 2 ? { mouthWidth: 0.75 } : {})],
    [['left'], (t) => (within(t, 2, 3) ? { yaw: 23 } : {})],
    [['right'], (t) => (within(t, 2, 3) ? { yaw: -17 } : {})],
    [['left', 'right', 'scan'], (t) => ({ yaw: 3 + 20 * Math.sin(t * 1.6) })],
    [['high'], (t) => (within(t, 2, 3) ? { pitch: 12 } : {})],
    [['down'], (t) => (within(t, 2, 3) ? { pitch: -18 } : {})],
    [['zoom_in'], (t) => ({ size: 0.2 + t * 0.02 })],
    [['zoom_out'], (t) => ({ size: 0.2 - t * 0.02 })],
  ])('%j', (names, change) => {
    expect(performed(clip(change))).toEqual(names)
  })

  it('have the time of their peak', () => {
    const turned = findGestures(clip((t) => ({ yaw: 3 + 30 * Math.max(0, 1 - Math.abs(t - 2.5)) })))
    expect(turned.left.timeS).toBeCloseTo(2.5, 5)
    expect(turned.left.score).toBeCloseTo(1.8, 1)
  })

  it('have the times of all their peaks', () => {
    const blinking = clip((t) => (within(t, 0.5, 0.6) || within(t, 2, 2.2) ? { eyeOpenness: 0.1 } : {}))
    expect(findGestures(blinking).eyes.peaksS).toEqual([0.6, 2.1])
    const turning = clip((t) => ({ yaw: within(t, 1, 1.4) || within(t, 3, 3.4) ? 23 : 3 }))
    expect(findGestures(turning)).toMatchObject({ left: { peaksS: [1.2, 3.2] }, right: { peaksS: [] } })
  })

  it('are no blink if the eyes stay closed', () => {
    expect(performed(clip((t) => (t > 2.5 ? { eyeOpenness: 0.05 } : {})))).toEqual([])
  })

  it.each<[string, Partial<FaceMoment>]>([
    ['a wide mouth', { mouthWidth: 0.9 }],
    ['a turned head', { yaw: 40 }],
    ['a raised head', { pitch: 30 }],
    ['a close face', { size: 0.5 }],
  ])('are none where a single frame shows %s', (_, change) => {
    expect(performed(clip((t) => (within(t, 2, 2.05) ? change : {})))).toEqual([])
  })

  it('are no zoom if the shape of the frames changes', () => {
    const turned = (segment: number) => clip((t) => (t > 1 ? { size: 0.3, segment } : {}))
    expect(performed(turned(0))).toEqual(['zoom_in'])
    expect(performed(turned(1))).toEqual([])
    expect(performed(clip((t) => (t > 1 ? { size: 0.3 + (t - 1) * 0.05, segment: 1 } : {})))).toEqual([
      'zoom_in',
    ])
  })

  it('are no smile if a turned head makes the mouth look wide', () => {
    expect(performed(clip((t) => (t > 3 ? { yaw: 40, mouthWidth: 0.9 } : {})))).toEqual(['left', 'scan'])
  })

  it('are none without a face', () => {
    const findings = findGestures([])
    expect(Object.values(findings).some(({ isPerformed }) => isPerformed)).toBe(false)
  })
})
