/** Both decoders with valid clips. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TimeBudget } from '../../../../src/media/video/time-budget.ts'
import type { OpenedVideo, VideoDecoder } from '../../../../src/media/video/video-decoder.ts'
import {
  type ClipName,
  type ClipRecipe,
  clip,
  clipNames,
  type ReferenceClip,
  recipes,
  referenceClip,
} from '../../../fixtures/clips.ts'
import {
  collect,
  difference,
  openClip,
  testDecoders,
  testLimits,
  withVideo,
} from '../../../fixtures/video-decoders.ts'

const fast = 'h264 mp4'
const turns: Partial<Record<ClipName, number>> = {
  'h264 mp4 turned by 90': 90,
  'h264 mp4 turned by 180': 180,
  'h264 mp4 turned by 270': 270,
}
const mimeTypes: Record<string, string> = {
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  '3gp': 'video/3gpp',
  mkv: 'video/x-matroska',
  webm: 'video/webm',
  avi: 'video/x-msvideo',
  ogv: 'video/ogg',
  wmv: 'video/x-ms-wmv',
  mpg: 'video/mpeg',
  vob: 'video/mpeg',
  ts: 'video/mp2t',
}
const everyFrame = { timesS: null, sideMax: 4096 }

function uprightSize(name: ClipName): [width: number, height: number] {
  const { width = 320, height = 180 }: ClipRecipe = recipes[name]
  return (turns[name] ?? 0) % 180 === 90 ? [height, width] : [width, height]
}

const references = new Map<ClipName, Promise<ReferenceClip>>()
function reference(name: ClipName): Promise<ReferenceClip> {
  const known = references.get(name) ?? clip(name).then((bytes) => referenceClip(bytes, ...uprightSize(name)))
  references.set(name, known)
  return known
}

/** Index of the picture for a requested time. */
const indexAt = ({ timesS }: ReferenceClip, timeS: number) => timesS.findIndex((time) => time >= timeS - 1e-3)

describe.each(testDecoders)('%s', (title, found) => {
  const decoder = found as VideoDecoder
  // Our own leaves the others as they are to the one that it stands before.
  const names = title.startsWith('own') ? clipNames.filter((name) => /^(h264|vp8) /.test(name)) : clipNames

  describe.skipIf(found === null)('reads valid clips', () => {
    describe.each(names)('%s', (name) => {
      let expected: ReferenceClip
      let video: OpenedVideo
      beforeAll(async () => {
        expected = await reference(name)
        // Opened once: to start a decoder takes longer than to read such a clip.
        video = await decoder.open(openClip(await clip(name)), { ...testLimits, timeMaxMs: 120_000 })
      })
      afterAll(() => video?.close())

      it('reads its facts', () => {
        const { facts } = video
        const [width, height] = uprightSize(name)
        const count = expected.frames.length
        const stepS = expected.timesS.at(-1)! / (count - 1)
        expect(facts).toMatchObject({ width, height, rotation: turns[name] ?? 0, frames: count })
        expect(facts).toMatchObject({
          codec: name.split(' ')[0],
          mimeType: mimeTypes[recipes[name].extension],
        })
        expect(Math.abs(facts.durationS - (expected.timesS.at(-1)! + stepS))).toBeLessThan(2 * stepS)
        expect(facts.framesPerSecond).toBeCloseTo(count / facts.durationS, 6)
        const { declaredS, ...timing } = facts.timing!
        const shortestS = Math.min(...expected.timesS.slice(1).map((time, i) => time - expected.timesS[i]!))
        // Program streams do not time every picture; how many are untimed depends on their sizes, and so on the encoder's machine.
        const isProgramStream = ['mpg', 'vob'].includes(recipes[name].extension)
        const sameTime = isProgramStream ? expect.toSatisfy((pictures) => pictures <= count / 10) : 0
        expect(timing).toEqual({ sameTime, backSteps: 0, fastestRate: expect.closeTo(1 / shortestS, 0) })
        expect(Math.abs((declaredS ?? facts.durationS) - facts.durationS)).toBeLessThan(3 * stepS)
      })

      it('yields every picture, upright, in order, at its time', async () => {
        const frames = await collect(video.frames(everyFrame))
        expect(frames.length).toBe(expected.frames.length)
        for (const [index, { image, timeS }] of frames.entries()) {
          const own = difference(image, expected.frames[index]!)
          const other = expected.frames[index + 1] ?? expected.frames[index - 1]!
          expect(Math.abs(timeS - expected.timesS[index]!)).toBeLessThan(1e-3)
          expect(own).toBeLessThan(3)
          expect(own).toBeLessThan(difference(image, other))
        }
      })

      it('yields the first picture at or after each requested time, small and in full size', async () => {
        const timesS = [0, 0.31, 0.32, 0.7, 1.2, 1.21, 1.6, 5]
        const wanted = [...new Set(timesS.map((timeS) => indexAt(expected, timeS)))].filter((i) => i >= 0)
        let seen = 0
        for await (const frame of video.frames({ timesS, sideMax: 100 })) {
          const index = wanted[seen++]!
          expect(Math.abs(frame.timeS - expected.timesS[index]!)).toBeLessThan(1e-3)
          expect(Math.max(frame.image.width, frame.image.height)).toBe(100)
          expect(difference(await frame.keepFullSize()(), expected.frames[index]!)).toBeLessThan(3)
        }
        expect(seen).toBe(wanted.length)
      })

      it('fetches one picture in full size, before and after all others', async () => {
        for (const timeS of [1.1, 0, 1.5]) {
          const frame = await video.frameAt(timeS)
          const index = indexAt(expected, timeS)
          expect(Math.abs(frame!.timeS - expected.timesS[index]!)).toBeLessThan(1e-3)
          expect(difference(frame!.image, expected.frames[index]!)).toBeLessThan(3)
        }
        expect((await collect(video.frames({ timesS: [0.5], sideMax: 64 }))).length).toBe(1)
        expect(await video.frameAt(100)).toBeNull()
      })
    })

    it('yields only the beginning of a cropped clip', async () => {
      const limits = { durationMaxS: 1, longer: 'crop' } as const
      const bytes = await clip(fast)
      await withVideo(
        decoder,
        bytes,
        async (video) => {
          expect(video.facts).toMatchObject({ durationS: 2, usedDurationS: 1 })
          expect((await collect(video.frames(everyFrame))).length).toBe(30)
          expect((await collect(video.frames({ timesS: [0.5, 0.9, 1.1], sideMax: 64 }))).length).toBe(2)
          expect(await video.frameAt(1.2)).toBeNull()
        },
        limits,
      )
    })

    it.each([
      'h264 mp4 with sound',
      'h264 mp4 turned by 90',
      'h264 mov',
      'h264 mkv',
      'h264 ts',
      'h263 3gp',
      'vp9 webm',
      'mjpeg avi',
      'theora ogg',
      'mpeg2video mpg',
      'wmv2 wmv',
    ] as const)('writes the beginning of a clip as a file of its kind: %s', async (name) => {
      if (!decoder.crop) throw new Error('@ffmpeg/core is not installed')
      const limits = { ...testLimits, durationMaxS: 1, longer: 'crop' } as const
      const whole = await clip(name)
      const cropped = (await decoder.crop(openClip(whole), limits, new TimeBudget(limits.timeMaxMs)))!
      expect(cropped.length).toBeLessThan(whole.length)
      const read = (bytes: Uint8Array) =>
        withVideo(
          decoder,
          bytes,
          async (video) => {
            const [first] = await collect(video.frames({ timesS: [0], sideMax: 160 }))
            const { width, height, codec, container, durationS, mimeType } = video.facts
            return { first: first!.image, durationS, facts: [width, height, codec, container, mimeType] }
          },
          limits,
        )
      const [before, after] = [await read(whole), await read(cropped)]
      expect(after.facts).toEqual(before.facts)
      expect(after.durationS).toBeGreaterThan(0.8)
      expect(after.durationS).toBeLessThan(1.2)
      expect(difference(after.first, before.first)).toBe(0)
    })

    it('writes no file of a kind that cannot hold the pictures', async () => {
      if (!decoder.crop) throw new Error('@ffmpeg/core is not installed')
      const limits = { ...testLimits, durationMaxS: 1, longer: 'crop' } as const
      // H.264 in a file that calls itself WebM: players read it, nothing writes it.
      const named = Uint8Array.from(await clip('h264 mkv'))
      const at = Buffer.from(named.buffer).indexOf('matroska')
      named.set(new TextEncoder().encode('webm\0\0\0\0'), at)
      const budget = new TimeBudget(limits.timeMaxMs)
      expect(await decoder.crop(openClip(named), limits, budget)).toBeNull()
      const spent = new TimeBudget(0)
      await expect(decoder.crop(openClip(named), limits, spent)).rejects.toMatchObject({
        code: 'media_unreadable',
      })
    })

    it('shares the time limit of all that is done with a clip', async () => {
      if (!decoder.crop) throw new Error('@ffmpeg/core is not installed')
      const limits = { ...testLimits, durationMaxS: 1, longer: 'crop' } as const
      const whole = await clip(fast)
      const budget = new TimeBudget(limits.timeMaxMs)
      const left = [budget.leftMs()]
      const note = () => left.push(budget.leftMs())
      const video = await decoder.open(openClip(whole), limits, budget)
      note()
      await decoder.crop(openClip(whole), limits, budget)
      note()
      for await (const _ of video.frames(everyFrame)) {
        // Only the time counts.
      }
      note()
      video.close()
      expect(left).toEqual(left.toSorted((a, b) => b - a))
      expect(new Set(left).size).toBe(4)
    })

    it('yields nothing for no times', async () => {
      const frames = withVideo(decoder, await clip(fast), (video) =>
        collect(video.frames({ timesS: [], sideMax: 64 })),
      )
      expect(await frames).toEqual([])
    })

    it('can be stopped in the middle and started again', async () => {
      await withVideo(decoder, await clip(fast), async (video) => {
        for await (const { timeS } of video.frames(everyFrame)) if (timeS > 0.5) break
        expect((await collect(video.frames(everyFrame))).length).toBe(60)
      })
    })
  })
})
