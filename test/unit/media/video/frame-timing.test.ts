/** Both decoders report times that no camera makes; such clips are not refused. */
import { describe, expect, it } from 'vitest'
import type { FrameTiming, VideoDecoder } from '../../../../src/media/video/video-decoder.ts'
import { clip, makeClip } from '../../../fixtures/clips.ts'
import { withDeclaredDuration, withWebmTimes } from '../../../fixtures/forged-times.ts'
import { testDecoders, withVideo } from '../../../fixtures/video-decoders.ts'

describe.each(testDecoders)('%s', (_, found) => {
  const timing = async (bytes: Uint8Array): Promise<FrameTiming | null> =>
    withVideo(found as VideoDecoder, bytes, async ({ facts }) => facts.timing)

  describe.skipIf(found === null)('reports', () => {
    it('pictures with the same time as others', async () => {
      const forged = withWebmTimes(await clip('vp8 webm'), (times) =>
        times.map((time, i) => (i % 10 === 5 ? times[i - 1]! : time)),
      )
      expect(await timing(forged)).toMatchObject({ sameTime: 6, backSteps: 6 })
    })

    it('steps back in time', async () => {
      const forged = withWebmTimes(await clip('vp8 webm'), (times) =>
        times.map((time, i) => (i === 20 || i === 40 ? time - 100 : time)),
      )
      expect(await timing(forged)).toMatchObject({ backSteps: 2 })
    })

    it('a duration in the headers that differs from that of the pictures', async () => {
      const forged = withDeclaredDuration(await clip('h264 mp4'), 3)
      expect(await timing(forged)).toMatchObject({
        declaredS: expect.closeTo(6, 1),
        sameTime: 0,
        backSteps: 0,
      })
    })

    it('no duration if the headers have none', async () => {
      expect(await timing(await clip('vp8 webm of a browser'))).toMatchObject({ declaredS: null })
      expect(await timing(await clip('h264 ts'))).toMatchObject({ sameTime: 0, backSteps: 0 })
    })

    it('bursts that are faster than cameras', async () => {
      const bursts = await makeClip({
        extension: 'mp4',
        encoder: ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '0'],
        filters: "settb=1/90000,setpts='if(mod(N,2),(N-1)/30+0.001,N/30)*90000'",
        output: ['-vsync', 'passthrough', '-enc_time_base', '1/90000', '-video_track_timescale', '90000'],
      })
      expect(await timing(bursts)).toMatchObject({
        fastestRate: expect.toSatisfy((rate) => rate > 900 && rate < 1100),
        sameTime: 0,
        backSteps: 0,
      })
    })
  })
})
