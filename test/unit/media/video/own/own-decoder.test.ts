import { describe, expect, it } from 'vitest'
import { openOwnDecoder } from '../../../../../src/media/video/own/own-decoder.ts'
import type { VideoDecoder } from '../../../../../src/media/video/video-decoder.ts'
import { once } from '../../../../../src/platform/once.ts'
import { findVideo, openVideoFile } from '../../../../../src/platform/server-video.ts'
import { compileH264 } from '../../../../../src/platform/server-wasm.ts'
import {
  type ClipName,
  type ClipRecipe,
  clip,
  hasFfmpeg,
  makeClip,
  remake,
} from '../../../../fixtures/clips.ts'
import { type H264File, writeMp4, writePps, writeSlice, writeSps } from '../../../../fixtures/h264-files.ts'
import { collect, difference, openClip, testLimits, withVideo } from '../../../../fixtures/video-decoders.ts'

const modules = { h264: once(compileH264) }
const another: VideoDecoder = {
  id: 'lean',
  reads: 'clips',
  open: async () => {
    throw new Error('left to another decoder')
  },
}
const decoder = openOwnDecoder(modules, another)
const alone = openOwnDecoder(modules, null)
const leftToAnother = /left to another decoder/
const core = await findVideo('ffmpeg-core')
const kinds = 'H.264 in MP4, MOV or 3GP'

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
    await expect(decoder.open(openClip(await make()), testLimits)).rejects.toThrow(leftToAnother)
  })

  it('decodes where there is no other decoder, and writes no clips there', async () => {
    const frames = await withVideo(alone, await clip('h264 mp4'), (video) =>
      collect(video.frames({ timesS: null, sideMax: 64 })),
    )
    expect(frames).toHaveLength(60)
    expect([alone.crop, alone.reads]).toEqual([undefined, kinds])
  })

  it.each<[string, () => Promise<Uint8Array>, object]>([
    [
      'another container',
      () => clip('mjpeg avi'),
      {
        code: 'media_unsupported',
        message: `AVI cannot be used here: send ${kinds}`,
        details: { expected: kinds, reason: 'format' },
      },
    ],
    [
      'another codec',
      () => clip('hevc mp4'),
      {
        code: 'media_unsupported',
        message: `The codec of the video cannot be used here (hvc1): send ${kinds}`,
        details: { codec: 'hvc1', expected: kinds, reason: 'codec' },
      },
    ],
    [
      'another kind of the codec',
      () => makeClip({ ...large, encoder: [...x264, '-pix_fmt', 'yuv420p10le'] }),
      {
        code: 'media_unsupported',
        message: 'This kind of H.264 cannot be used here: send H.264 of 8 bits, 4:2:0, not interlaced',
        details: { reason: 'codec' },
      },
    ],
    [
      'sound alone',
      async () => remake(await clip('h264 mp4 with sound'), 'mp4', ['-vn', '-c:a', 'copy']),
      { code: 'media_unreadable', message: 'The file has no video stream', details: { reason: 'format' } },
    ],
    [
      'a file that is cut off',
      async () => (await clip('h264 mp4')).slice(0, -100),
      { code: 'media_unreadable', message: expect.stringMatching(/damaged/), details: { reason: 'damaged' } },
    ],
  ])('refuses %s where there is no other decoder', async (_, make, refusal) => {
    await expect(alone.open(openClip(await make()), testLimits)).rejects.toMatchObject(refusal)
  })

  it('refuses pictures that are too large with their size', async () => {
    const bytes = await makeClip(large)
    await expect(alone.open(openClip(bytes), { ...testLimits, pixelsMax: 1e5 })).rejects.toMatchObject({
      code: 'media_unreadable',
      details: { width: 1280, height: 720, reason: 'too_many_pixels' },
    })
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

/** A module whose `input` is `unreachable`. */
const trap =
  '0061736d01000000010a026000017f60027f7f00030302000107100205696e7075740000046f70656e00010a08020300000b02000b'

const [columns, rows] = [10, 8]
const macroblocks = columns * rows
const sps = writeSps({ columns, rows })
const pps = writePps()
const key = writeSlice({ isKey: true })
const skipping = (frameNum: number) => writeSlice({ frameNum, skipped: macroblocks })
const samples = [[key], ...Array.from({ length: 29 }, (_, i) => [skipping(i + 1)])]
const file: H264File = { sps: [sps], pps: [pps], samples, width: 16 * columns, height: 16 * rows }

const count = async (changes: Partial<H264File>) => {
  const bytes = writeMp4({ ...file, ...changes })
  const wanted = { timesS: null, sideMax: 64 }
  return (await withVideo(decoder, bytes, (video) => collect(video.frames(wanted)))).length
}

describe('our own decoder, of files that cost much or show other pictures in players', () => {
  it('decodes a regular file', async () => {
    expect(await count({})).toBe(30)
    expect(await count({ samples: samples.map((units) => [sps, pps, ...units]) })).toBe(30)
  })

  const [first, ...rest] = samples
  const large = writeSps({ columns: 200, rows: 120 })
  const irregular: Record<string, Partial<H264File>> = {
    'two sequences': { sps: [sps, writeSps({ id: 1, columns: 200, rows: 120 })] },
    'a sequence that changes inside a picture': {
      sps: [sps, large],
      samples: samples.map((units) => [sps, pps, ...units, large, writeSlice({ first: 23_000 })]),
    },
    'other sets in a sample': { samples: [[large, key], ...rest] },
    'a part of a set in a sample': { samples: [[sps.slice(0, -1), key], ...rest] },
    'a slice among the sets': { pps: [pps, key] },
    'whole macroblocks that are cropped': { sps: [writeSps({ columns: 80, rows: 45, cropRight: 560 })] },
    'two pictures in a sample': { samples: [[key, skipping(1)], ...rest] },
    'no key picture': { samples: samples.map((_, i) => [skipping(i)]) },
    'samples at one place': {
      samples: [[...first!, [0, 0, 0, 1, 6, ...new Array(9000).fill(1)]], ...rest],
      repeated: 2,
    },
  }
  it.each(Object.keys(irregular))('leaves %s to another one', async (name) => {
    await expect(count(irregular[name]!)).rejects.toThrow(leftToAnother)
  })

  it('leaves two movies to another one', async () => {
    const bytes = Buffer.from(writeMp4(file))
    const twice = Buffer.concat([bytes, bytes.subarray(bytes.indexOf('moov') - 4)])
    await expect(decoder.open(openClip(twice), testLimits)).rejects.toThrow(leftToAnother)
  })

  it('takes a sample for one picture, of as many slices as macroblocks', async () => {
    const others = Array.from({ length: 5000 }, (_, i) => writeSlice({ first: 1, frameNum: i }))
    expect(await count({ samples: [[key, ...others], ...rest] })).toBe(30)
  })

  it('does not take pictures before the first key picture', async () => {
    const damagedKey = key.slice(0, 6)
    await expect(count({ samples: [[damagedKey], ...rest] })).rejects.toThrow(/too short/)
    expect(await count({ samples: [[damagedKey], ...rest.slice(0, 19), [key], ...rest.slice(0, 9)] })).toBe(
      10,
    )
  })

  it('refuses a clip whose decoding traps', async () => {
    const trapping = async () => WebAssembly.compile(Uint8Array.from(Buffer.from(trap, 'hex')))
    await expect(
      openOwnDecoder({ h264: trapping }, another).open(openClip(writeMp4(file)), testLimits),
    ).rejects.toMatchObject({
      code: 'media_unreadable',
    })
  })
})
