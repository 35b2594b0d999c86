import { describe, expect, it } from 'vitest'
import { openClip } from '../../../src/assess/open-clip.ts'
import { outOfTime, type TimeBudget } from '../../../src/media/video/time-budget.ts'
import type {
  ClipFile,
  OpenedVideo,
  VideoDecoder,
  VideoFacts,
  VideoLimits,
} from '../../../src/media/video/video-decoder.ts'

const limits: VideoLimits = {
  pixelsMax: 1_000_000,
  framesPerSecondMax: 240,
  durationMaxS: 10,
  longer: 'crop',
  timeMaxMs: 1000,
}

const clipOf = (tenths: number): ClipFile => ({
  format: { container: 'mov', mimeType: 'video/mp4' },
  bytes: Uint8Array.of(tenths),
})

/** A decoder of made-up clips: the only byte of one is its duration in tenths of a second. Notes what it is asked to do. */
class FakeDecoder implements VideoDecoder {
  readonly id = 'lean'
  readonly reads = 'made-up clips'
  readonly calls: string[] = []
  /** Limits that clips were opened with. */
  readonly longer: VideoLimits['longer'][] = []
  readonly budgets = new Set<TimeBudget | undefined>()
  opened = 0

  async open(
    { bytes: [tenths = 0] }: ClipFile,
    { longer }: VideoLimits,
    budget?: TimeBudget,
  ): Promise<OpenedVideo> {
    this.budgets.add(budget)
    this.calls.push(`open ${tenths}`)
    this.longer.push(longer)
    this.opened++
    const facts = { durationS: tenths / 10, timing: null } as VideoFacts
    return {
      facts,
      async *frames() {},
      frameAt: async () => null,
      close: () => {
        this.opened--
      },
    }
  }

  async crop(_: ClipFile, { durationMaxS }: VideoLimits, budget: TimeBudget): Promise<Uint8Array | null> {
    this.budgets.add(budget)
    this.calls.push('crop')
    return Uint8Array.of(10 * durationMaxS!)
  }
}

const opener = (decoder: VideoDecoder, changed: Partial<VideoLimits> = {}) => ({
  decoder,
  videoLimits: { ...limits, ...changed },
})

describe('openClip', () => {
  it('replaces a clip that is too long by its beginning', async () => {
    const decoder = new FakeDecoder()
    const { video, cropped } = await openClip(opener(decoder), clipOf(200))
    expect(cropped).toEqual(Uint8Array.of(100))
    expect(video.facts.durationS).toBe(10)
    expect(decoder.opened).toBe(1)
    expect(decoder.calls).toEqual(['open 200', 'crop', 'open 100'])
  })

  it('uses the beginning of a clip that cannot be cropped, and keeps the whole', async () => {
    const decoder = new FakeDecoder()
    decoder.crop = async () => null
    const { video, cropped } = await openClip(opener(decoder), clipOf(200))
    expect(cropped).toBeNull()
    expect(video.facts.durationS).toBe(20)
    expect(decoder.opened).toBe(1)
  })

  it('closes a clip that takes too long to crop', async () => {
    const decoder = new FakeDecoder()
    decoder.crop = () => Promise.reject(outOfTime())
    const opening = openClip(opener(decoder), clipOf(200))
    await expect(opening).rejects.toMatchObject({ code: 'media_unreadable' })
    expect(decoder.opened).toBe(0)
  })

  it('has one time limit for all that is done with a clip', async () => {
    const decoder = new FakeDecoder()
    await openClip(opener(decoder), clipOf(200))
    const [budget, ...others] = decoder.budgets
    expect(budget?.leftMs()).toBe(limits.timeMaxMs)
    expect(others).toEqual([])
  })

  it('never replaces a stored clip, and never refuses it: its beginning is used', async () => {
    for (const longer of ['crop', 'refuse'] as const) {
      const decoder = new FakeDecoder()
      const { cropped } = await openClip(opener(decoder, { longer }), clipOf(104), 'keep')
      expect(cropped).toBeNull()
      expect(decoder.calls).toEqual(['open 104'])
      expect(decoder.longer).toEqual(['crop'])
    }
  })

  it('opens a clip with the limits of a request that refuses longer ones', async () => {
    const decoder = new FakeDecoder()
    await openClip(opener(decoder), clipOf(90), 'refuse')
    expect(decoder.longer).toEqual(['refuse'])
  })

  it('tolerates rounded lengths, cropping or not', async () => {
    const decoder = new FakeDecoder()
    const { cropped } = await openClip(opener(decoder, { durationMaxS: 20 }), clipOf(202))
    expect(cropped).toBeNull()
  })

  it('never replaces a clip if longer ones are refused: a length that is tolerated is kept', async () => {
    const decoder = new FakeDecoder()
    const { cropped } = await openClip(opener(decoder, { durationMaxS: 20, longer: 'refuse' }), clipOf(203))
    expect(cropped).toBeNull()
    expect(decoder.calls).toEqual(['open 203'])
  })
})
