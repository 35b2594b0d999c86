import { describe, expect, it } from 'vitest'
import { checkClip, type RawFacts } from '../../../../src/media/video/check-clip.ts'
import type { VideoLimits } from '../../../../src/media/video/video-decoder.ts'
import { fitSize } from '../../../../src/media/video/wanted-frames.ts'

const sniffed = { container: 'mov', mimeType: 'video/mp4' } as const
const limits: VideoLimits = {
  pixelsMax: 1_000_000,
  framesPerSecondMax: 240,
  durationMaxS: 10,
  longer: 'refuse',
  timeMaxMs: 1000,
}
/** Two seconds at 30 pictures per second. */
const raw: RawFacts = {
  width: 1280,
  height: 720,
  orientation: 1,
  codec: 'h264',
  packets: 60,
  firstS: 0.5,
  lastS: 0.5 + 59 / 30,
  lastDurationS: 1 / 30,
  timesS: Array.from({ length: 60 }, (_, i) => 0.5 + i / 30),
  backSteps: 0,
  declaredS: 2,
  isWhole: true,
}

const check = (change: Partial<RawFacts>, limit: Partial<VideoLimits> = {}) =>
  checkClip(sniffed, { ...raw, ...change }, { ...limits, ...limit })
const refused = (code: string) => expect.objectContaining({ code })

describe('checkClip', () => {
  it('computes duration and rate from the times of the pictures', () => {
    const { durationS, usedDurationS, framesPerSecond, frames } = check({})
    expect([durationS, usedDurationS]).toEqual([expect.closeTo(2), expect.closeTo(2)])
    expect([framesPerSecond, frames]).toEqual([expect.closeTo(30), 60])
  })

  it('summarises the times of the pictures', () => {
    expect(check({}).timing).toEqual({
      declaredS: 2,
      sameTime: 0,
      backSteps: 0,
      fastestRate: expect.closeTo(30),
    })
    const timesS = [1, 0, 0.5, 1, 1, 0.501]
    expect(check({ timesS, backSteps: 3, declaredS: Number.NaN }).timing).toEqual({
      declaredS: null,
      sameTime: 2,
      backSteps: 3,
      fastestRate: expect.closeTo(1000),
    })
    expect(check({ timesS: [1, 1] }).timing).toMatchObject({ sameTime: 1, fastestRate: null })
  })

  it.each([0, Number.NaN, 3600])('does not trust a last picture of %d s', (lastDurationS) => {
    expect(check({ lastDurationS }).durationS).toBeLessThan(2.1)
  })

  it.each([
    [6, 90],
    [8, 270],
    [3, 180],
    [5, 270],
  ] as const)('turns orientation %i by %i degrees', (orientation, rotation) => {
    const { width, height, rotation: told } = check({ orientation })
    expect(told).toBe(rotation)
    expect([width, height]).toEqual(rotation % 180 === 90 ? [720, 1280] : [1280, 720])
  })

  it.each<[string, Partial<RawFacts>, string]>([
    ['too many pixels', { width: 7680, height: 4320 }, 'media_unreadable'],
    ['a very long side', { width: 20_000, height: 20 }, 'media_unreadable'],
    ['no size', { width: 0, height: 0 }, 'media_unreadable'],
    ['an unknown codec', { codec: 'av1' }, 'media_unsupported'],
    ['one frame', { packets: 1, lastS: 0.5 }, 'media_unreadable'],
    ['four frames', { packets: 4 }, 'media_unreadable'],
    ['no times', { firstS: Number.NaN, lastS: Number.NaN }, 'media_unreadable'],
    ['all frames at one time', { lastS: 0.5 }, 'media_unreadable'],
    ['0.4 s', { lastS: 0.88, packets: 12 }, 'media_unreadable'],
    ['1000 frames a second', { packets: 2000 }, 'media_unreadable'],
    ['eleven seconds', { lastS: 11.5, packets: 330 }, 'value_invalid'],
  ])('refuses %s', (_, change, code) => {
    expect(() => check(change)).toThrow(refused(code))
  })

  it('limits the pixels of all pictures that are used, where it is told to', () => {
    const pixelsInAllMax = 60 * 1280 * 720
    expect(check({}, { pixelsInAllMax }).frames).toBe(60)
    const long = { lastS: 4.5, packets: 121 }
    expect(() => check(long, { pixelsInAllMax })).toThrow(
      /121 pictures of 1280 × 720 pixels; here it may have at most 60 pictures of this size/,
    )
    const cropped = { pixelsInAllMax, durationMaxS: 2, longer: 'crop' } as const
    expect(check(long, cropped).usedDurationS).toBe(2)
  })

  it('tells the required length if a clip is too short', () => {
    expect(() => check({ packets: 4 })).toThrow(/it has 4 frames.*at least 0.5 s and 5 frames/)
    expect(() => check({ lastS: 0.88, packets: 12 })).toThrow(/lasts 0\.\d+ s.*at least 0.5 s/)
  })

  it('crops longer clips if configured, but not of ten minutes', () => {
    const crop = { longer: 'crop' } as const
    expect(check({ lastS: 60, packets: 1800 }, crop).usedDurationS).toBe(10)
    expect(check({ lastS: 60, packets: 1800 }, { durationMaxS: null }).usedDurationS).toBeGreaterThan(59)
    expect(() => check({ lastS: 606, packets: 1800 }, crop)).toThrow(refused('value_invalid'))
  })

  it('tolerates rounded times', () => {
    expect(check({ lastS: 10.51, packets: 300 }).durationS).toBeGreaterThan(10)
  })
})

describe('fitSize', () => {
  it.each([
    [1280, 720, 640, [640, 360]],
    [720, 1280, 640, [360, 640]],
    [320, 180, 640, [320, 180]],
    [16_000, 16, 100, [100, 1]],
  ])('brings %i × %i to a side of %i', (width, height, side, [w, h]) => {
    expect(fitSize({ width, height }, side)).toEqual({ width: w, height: h })
  })
})
