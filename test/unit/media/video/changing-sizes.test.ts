/** Both decoders with clips whose pictures change their size, and whose times begin again. */
import { describe, expect, it } from 'vitest'
import type { VideoDecoder, VideoFrame } from '../../../../src/media/video/video-decoder.ts'
import {
  alternatingClip,
  beginningAgain,
  changingClip,
  changingNames,
  changingParts,
  picturesPerPart,
} from '../../../fixtures/changing-sizes.ts'
import { makeClip } from '../../../fixtures/clips.ts'
import { withWebmTimes } from '../../../fixtures/forged-times.ts'
import { collect, difference, testDecoders, testLimits, withVideo } from '../../../fixtures/video-decoders.ts'

const [upright, lying] = changingParts
const every = { timesS: null, sideMax: 4096 }
const sizesOf = (frames: readonly VideoFrame[]) =>
  frames.map(({ image: { width, height } }) => `${width}×${height}`)
const steady = Array.from({ length: 2 * picturesPerPart }, (_, i) => (i + 0.5) / picturesPerPart)

describe.each(testDecoders)('%s', (_, found) => {
  const decoder = found as VideoDecoder

  describe.skipIf(found === null)('reads a clip whose pictures change their size', () => {
    it.each(changingNames)('%s', async (name) => {
      const bytes = await changingClip(name)
      await withVideo(decoder, bytes, async (video) => {
        expect(video.facts).toMatchObject({ ...upright, frames: 2 * picturesPerPart })
        expect(video.facts.durationS).toBeCloseTo(2, 1)
        const all = await collect(video.frames(every))
        const ofPart = (size: string) => Array<string>(picturesPerPart).fill(size)
        const sizes = [...ofPart('180×240'), ...ofPart('320×180')]
        // Where the size of MPEG-2 changes, FFmpeg loses the picture before.
        if (name.startsWith('mpeg2')) sizes.shift()
        expect(sizesOf(all)).toEqual(sizes)
        for (const [i, { timeS }] of all.entries())
          expect(Math.abs(timeS - i / picturesPerPart)).toBeLessThan(name.startsWith('mpeg2') ? 0.06 : 0.01)
        const small = await collect(video.frames({ timesS: [0.2, 1.3, 1.8], sideMax: 160 }))
        expect(sizesOf(small)).toEqual(['120×160', '160×90', '160×90'])
        const late = await video.frameAt(1.3)
        expect(sizesOf([late!])).toEqual(['320×180'])
        const after = all.findIndex(({ timeS }) => timeS > 1.29)
        expect(difference(late!.image, all[after]!.image)).toBe(0)
        const kept: (() => Promise<VideoFrame['image']>)[] = []
        for await (const frame of video.frames({ timesS: [0.4, 1.3], sideMax: 64 }))
          kept.push(frame.keepFullSize())
        expect(difference(await kept[0]!(), all[8]!.image)).toBe(0)
        expect(difference(await kept[1]!(), all[after]!.image)).toBe(0)
      })
    })

    it('hundreds of times', async () => {
      const bytes = await alternatingClip(400, [upright, lying])
      const frames = await withVideo(decoder, bytes, (video) =>
        collect(video.frames({ timesS: steady.map((timeS) => 4.9 * timeS), sideMax: 160 })),
      )
      expect(frames.length).toBe(steady.length)
      expect(new Set(sizesOf(frames))).toEqual(new Set(['120×160', '160×90']))
    })

    it('beyond the limits: it is refused, with the size', async () => {
      const read = async (sizes: Parameters<typeof alternatingClip>[1], pixelsMax: number) =>
        withVideo(decoder, await alternatingClip(40, sizes), (video) => collect(video.frames(every)), {
          pixelsMax,
        })
      await expect(read([upright, lying], 50_000)).rejects.toMatchObject({
        code: 'media_unreadable',
        message: 'The video has frames of 320 × 180 pixels; send at most 50000 pixels',
      })
      await expect(
        read([upright, { width: 7680, height: 4320 }], testLimits.pixelsMax),
      ).rejects.toMatchObject({
        code: 'media_unreadable',
        details: { width: 7680, height: 4320 },
      })
      await expect(read([upright, { width: 24, height: 8 }], testLimits.pixelsMax)).rejects.toMatchObject({
        code: 'media_unreadable',
        message: 'The video has frames of 24 × 8 pixels; send at least 16 pixels a side',
      })
    })

    it('whose times begin again', async () => {
      const bytes = await beginningAgain(changingParts)
      const frames = await withVideo(decoder, bytes, async (video) => {
        expect(video.facts.durationS).toBeCloseTo(2, 1)
        expect(video.facts.timing).toMatchObject({ backSteps: 1 })
        return collect(video.frames({ timesS: steady, sideMax: 64 }))
      })
      expect(frames.filter(({ image }) => image.width > image.height).length).toBeGreaterThan(
        picturesPerPart - 3,
      )
      const times = frames.map(({ timeS }) => timeS)
      expect(times).toEqual(times.toSorted((a, b) => a - b))
    })
  })

  describe.skipIf(found === null)('lets times go on', () => {
    it('that begin again where the size stays', async () => {
      const vp8 = await makeClip({
        extension: 'webm',
        encoder: ['-c:v', 'libvpx', '-deadline', 'good', '-cpu-used', '5'],
      })
      const again = withWebmTimes(vp8, (times) => times.map((timeMs, i) => (i < 30 ? timeMs : timeMs - 1000)))
      await withVideo(decoder, again, async (video) => {
        expect(video.facts.durationS).toBeCloseTo(2, 1)
        const timesS = Array.from({ length: 24 }, (_, i) => (i + 0.5) / 12)
        expect((await collect(video.frames({ timesS, sideMax: 64 }))).length).toBe(23)
      })
    })
  })
})
