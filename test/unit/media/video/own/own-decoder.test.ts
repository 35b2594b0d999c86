import { describe, expect, it } from 'vitest'
import { openOwnDecoder } from '../../../../../src/media/video/own/own-decoder.ts'
import type { VideoDecoder } from '../../../../../src/media/video/video-decoder.ts'
import { once } from '../../../../../src/platform/once.ts'
import { findVideo, openVideoFile } from '../../../../../src/platform/server-video.ts'
import { compileH264, compileVp8 } from '../../../../../src/platform/server-wasm.ts'
import { element } from '../../../../fixtures/clip-headers.ts'
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
import { writeRandomVp8 } from '../../../../fixtures/vp8-writer.ts'
import { type WebmFile, writeWebm } from '../../../../fixtures/webm-files.ts'

const modules = { h264: once(compileH264), vp8: once(compileVp8) }
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
const kinds = 'H.264 in MP4, MOV or 3GP, or VP8 in WebM or Matroska'

const x264 = ['-c:v', 'libx264', '-preset', 'veryfast']
const vpx = ['-c:v', 'libvpx', '-deadline', 'good', '-cpu-used', '5']
const webm: ClipRecipe = { extension: 'webm', encoder: [...vpx, '-b:v', '1M'] }
const large: ClipRecipe = { extension: 'mp4', encoder: x264, width: 1280, height: 720, seconds: 1 }

const own = [
  ...['h264 mp4', 'h264 mp4 with sound', 'h264 mp4 in fragments', 'h264 mp4 turned by 90'],
  ...['h264 mp4 at a changing rate', 'h264 mov'],
  ...['vp8 webm', 'vp8 webm of a browser', 'vp8 webm of odd size'],
] as ClipName[]

describe.skipIf(!hasFfmpeg)('our own decoder', () => {
  it.each(own)('decodes %s itself', async (name) => {
    const frames = await withVideo(decoder, await clip(name), (video) =>
      collect(video.frames({ timesS: [0, 0.5, 1], sideMax: 64 })),
    )
    expect(frames).toHaveLength(3)
  })

  it.each<[string, () => Promise<Uint8Array>]>([
    ['another container', () => clip('h264 mkv')],
    ['another codec', () => clip('hevc mp4')],
    ['another codec in WebM', () => clip('vp9 webm')],
    ['a WebM that is cut off', async () => (await clip('vp8 webm')).slice(0, -100)],
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

  // The own size, a half, an odd width, and another ratio.
  const drawn = [
    [1280, 0],
    [640, 0],
    [427, 1],
    [500, 0.1],
  ] as const
  it.skipIf(!core).each([
    ['H.264', large],
    ['VP8', { ...large, extension: 'webm', encoder: [...vpx, '-b:v', '2M'] }],
  ])('draws %s as ffmpeg-core does', async (_, recipe) => {
    const bytes = await makeClip(recipe)
    const timesS = [0, 0.3, 0.6]
    const reference = openVideoFile(core!)
    for (const [sideMax, tolerance] of drawn) {
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

  it.skipIf(!core).each<[string, ClipRecipe]>([
    ['a file', webm],
    ['a recording of a browser', { ...webm, output: ['-live', '1'] }],
    ['a recording with sound', { ...webm, audio: ['-c:a', 'libopus'] }],
    [
      'blocks in groups, in many clusters',
      { ...webm, output: ['-cluster_time_limit', '200', '-default_mode', 'infer'] },
    ],
    ['a changing rate', { ...webm, filters: "select='lt(mod(n,4),2)'", output: ['-vsync', 'vfr'] }],
    [
      'frames that are not shown',
      { ...webm, encoder: [...vpx, '-auto-alt-ref', '1', '-lag-in-frames', '16'] },
    ],
  ])('reads the facts of VP8 as ffmpeg-core does: %s', async (_, recipe) => {
    const bytes = await makeClip({ ...recipe, seconds: 1.5 })
    const [ours, theirs] = await Promise.all(
      [decoder, openVideoFile(core!)].map((each) =>
        withVideo(each, bytes, async (video) => {
          const frames = await collect(video.frames({ timesS: null, sideMax: 320 }))
          return { facts: video.facts, frames }
        }),
      ),
    )
    const { durationS, usedDurationS, framesPerSecond, timing, ...facts } = theirs!.facts
    expect(ours!.facts).toMatchObject(facts)
    expect(ours!.facts.durationS).toBeCloseTo(durationS, 2)
    expect(ours!.facts.timing).toEqual({
      ...timing!,
      declaredS: timing!.declaredS && expect.closeTo(timing!.declaredS, 3),
      fastestRate: timing!.fastestRate && expect.closeTo(timing!.fastestRate, 3),
    })
    expect(ours!.frames).toHaveLength(theirs!.frames.length)
    for (const [index, { image, timeS }] of ours!.frames.entries()) {
      expect(timeS).toBeCloseTo(theirs!.frames[index]!.timeS, 3)
      expect(difference(image, theirs!.frames[index]!.image)).toBe(0)
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
      openOwnDecoder({ ...modules, h264: trapping }, another).open(openClip(writeMp4(file)), testLimits),
    ).rejects.toMatchObject({
      code: 'media_unreadable',
    })
  })
})

const frames = writeRandomVp8({ seed: 1, partitions: 0, profile: 0, width: 64, height: 48, frames: 20 })
const recording: WebmFile = { frames, timesMs: frames.map((_, i) => 1000 + 40 * i) }
const isShown = (frame: Uint8Array) => (frame[0]! & 16) !== 0

const read = (changes: Partial<WebmFile>) =>
  withVideo(decoder, writeWebm({ ...recording, ...changes }), async (video) => ({
    facts: video.facts,
    frames: await collect(video.frames({ timesS: null, sideMax: 64 })),
  }))

describe('our own decoder, of WebM that no encoder writes', () => {
  it('reads clusters without sizes, without an index and a duration, beside another track', async () => {
    const { facts, frames: found } = await read({})
    expect(facts).toMatchObject({ width: 64, height: 48, frames: 20, codec: 'vp8', durationS: 0.8 })
    expect(found).toHaveLength(frames.filter(isShown).length)
    expect(found[1]!.timeS).toBeCloseTo(0.04, 9)
  })

  it('reads an index, tags and filling between clusters', async () => {
    const cues = element([0x1c, 0x53, 0xbb, 0x6b], new Uint8Array(30))
    const filling = element([0xec], new Uint8Array(9))
    expect((await read({ afterBlock: filling, atEnd: cues })).facts.frames).toBe(20)
  })

  const [key, ...rest] = frames
  const future = Uint8Array.from(key!)
  future[0]! |= 8
  const times = recording.timesMs
  const irregular: Record<string, Partial<WebmFile>> = {
    'another codec': { codec: 'V_VP9' },
    'another profile': { frames: [future, ...rest] },
    'two tracks of pictures': { tracks: 2 },
    'laced blocks': { flags: 2 },
    'blocks that are encoded': { ofTrack: element([0x6d, 0x80], new Uint8Array(4)) },
    'another scale of the track': { ofTrack: element([0x23, 0x31, 0x4f], Uint8Array.of(0x40, 0, 0, 0)) },
    'a projection': { ofVideo: element([0x76, 0x70], new Uint8Array(4)) },
    'frames without bytes': { frames: [key!, new Uint8Array(), ...rest.slice(1)] },
    'a frame that ends in its first partition': { frames: [key!, rest[0]!.slice(0, 90), ...rest.slice(1)] },
    'no key picture': { frames: [rest.find((frame) => frame[0]! & 1)!, ...rest] },
    'times that begin again': { timesMs: times.map((time, i) => (i < 15 ? time : time - 900)) },
    'a second segment': { atEnd: element([0x18, 0x53, 0x80, 0x67], new Uint8Array()) },
    'bytes that are no element': { atEnd: new Uint8Array(5) },
    'an element beyond the end': { atEnd: element([0xec], new Uint8Array(5), [0x90]) },
  }
  it.each(Object.keys(irregular))('leaves %s to another one', async (name) => {
    await expect(read(irregular[name]!)).rejects.toThrow(leftToAnother)
  })

  it('counts the pixels of larger pictures on the way', async () => {
    const large = writeRandomVp8({ seed: 2, partitions: 0, profile: 0, width: 256, height: 192, frames: 10 })
    const clip = writeWebm({ frames: [...frames.slice(0, 10), ...large], timesMs: times })
    const limits = { pixelsMax: 256 * 192, pixelsInAllMax: 20 * 64 * 48 }
    const all = { timesS: null, sideMax: 64 }
    const work = withVideo(decoder, clip, (video) => collect(video.frames(all)), limits)
    await expect(work).rejects.toMatchObject({ code: 'media_unreadable', details: { reason: 'too_costly' } })
  })
})
