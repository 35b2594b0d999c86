import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { openOwnDecoder } from '../../../../../src/media/video/h264/own-decoder.ts'
import type { VideoDecoder } from '../../../../../src/media/video/video-decoder.ts'
import { findVideo, openVideoFile } from '../../../../../src/platform/server-video.ts'
import { type ClipName, type ClipRecipe, clip, hasFfmpeg, makeClip } from '../../../../fixtures/clips.ts'
import { collect, difference, openClip, testLimits, withVideo } from '../../../../fixtures/video-decoders.ts'

const module = await WebAssembly.compile(
  await readFile(new URL('../../../../../wasm/h264/h264.wasm', import.meta.url)),
)
const another: VideoDecoder = {
  id: 'lean',
  open: async () => {
    throw new Error('left to another decoder')
  },
}
const decoder = openOwnDecoder(module, another)
const core = await findVideo('ffmpeg-core')

const x264 = ['-c:v', 'libx264', '-preset', 'veryfast']
const large: ClipRecipe = { extension: 'mp4', encoder: x264, width: 1280, height: 720, seconds: 1 }

const own = [
  ...['h264 mp4', 'h264 mp4 with sound', 'h264 mp4 in fragments', 'h264 mp4 turned by 90'],
  ...['h264 mp4 at a changing rate', 'h264 mov'],
] as ClipName[]

describe.skipIf(!hasFfmpeg)('our own decoder of H.264', () => {
  it.each(own)('decodes %s itself', async (name) => {
    const frames = await withVideo(decoder, await clip(name), (video) =>
      collect(video.frames({ timesS: [0, 0.5, 1], sideMax: 64 })),
    )
    expect(frames).toHaveLength(3)
  })

  it.each<[string, () => Promise<Uint8Array>]>([
    ['another container', () => clip('h264 mkv')],
    ['another codec', () => clip('hevc mp4')],
    [
      'interlaced pictures',
      () => makeClip({ ...large, encoder: [...x264, '-flags', '+ildct+ilme', '-x264-params', 'tff=1'] }),
    ],
    ['more bits', () => makeClip({ ...large, encoder: [...x264, '-pix_fmt', 'yuv420p10le'] })],
    ['a file that is cut off', async () => (await clip('h264 mp4')).slice(0, -100)],
  ])('leaves %s to another one', async (_, make) => {
    await expect(decoder.open(openClip(await make()), testLimits)).rejects.toThrow('left to another decoder')
  })

  it.skipIf(!core)('draws as ffmpeg-core does', async () => {
    const bytes = await makeClip(large)
    const timesS = [0, 0.3, 0.6]
    const reference = openVideoFile(core!)
    // The own size, a half, an odd width, and another ratio.
    for (const [sideMax, tolerance] of [
      [1280, 0],
      [640, 0],
      [427, 1],
      [500, 0.1],
    ] as const) {
      const [ours, theirs] = await Promise.all(
        [decoder, reference].map((each) =>
          withVideo(each, bytes, (video) => collect(video.frames({ timesS, sideMax }))),
        ),
      )
      expect(ours).toHaveLength(timesS.length)
      for (const [index, { image }] of ours!.entries())
        expect([sideMax, difference(image, theirs![index]!.image)]).toEqual([
          sideMax,
          expect.toSatisfy((found) => found <= tolerance),
        ])
    }
  })
})
