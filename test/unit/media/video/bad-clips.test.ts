/** Both decoders with clips that are damaged, hostile or beyond the limits. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../src/errors.ts'
import type { VideoDecoder, VideoLimits } from '../../../../src/media/video/video-decoder.ts'
import { type ClipName, type ClipRecipe, clip, makeClip, remake } from '../../../fixtures/clips.ts'
import { concat } from '../../../fixtures/pictures.ts'
import { hasTestData, testData, testDataDir } from '../../../fixtures/test-data.ts'
import { collect, testDecoders, withVideo } from '../../../fixtures/video-decoders.ts'

const text = (content: string) => new TextEncoder().encode(content)
const small = { width: 160, height: 96, seconds: 1 }
const x264 = ['-c:v', 'libx264', '-preset', 'veryfast']
const mpeg4 = ['-c:v', 'mpeg4', '-q:v', '9']
const badVideos = hasTestData ? (await readdir(path.join(testDataDir, 'bad', 'video'))).sort() : []
/** Only sound, one frame, no frame, an unsupported codec. */
const badVideosWithoutClip = [
  'mp4parse_afconvert-aac-0.5s.mp4',
  'mp4parse_hevc_white_frame.mp4',
  'mp4parse_minimal.mp4',
  'mp4parse_tiny_av1.mp4',
]

/** Code of the error, or `accepted` with the number of pictures. Errors other than `AppError` are rethrown. */
async function outcome(
  decoder: VideoDecoder,
  bytes: Uint8Array,
  limits: Partial<VideoLimits> = {},
): Promise<string> {
  try {
    const frames = await withVideo(
      decoder,
      bytes,
      (video) => collect(video.frames({ timesS: null, sideMax: 64 })),
      limits,
    )
    return `accepted ${frames.length}`
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

const isFine = (result: string) =>
  /^(accepted [1-9]\d*|media_unreadable|media_unsupported|value_invalid)$/.test(result)

/** A seeded sequence of numbers. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function flipBits(bytes: Uint8Array, count: number, next: () => number): Uint8Array {
  const copy = bytes.slice()
  for (let i = 0; i < count; i++) copy[Math.floor(next() * copy.length)]! ^= 1 << Math.floor(next() * 8)
  return copy
}

const made = new Map<string, Promise<Uint8Array>>()
function makeOnce(name: string, recipe: ClipRecipe): Promise<Uint8Array> {
  const bytes = made.get(name) ?? makeClip(recipe)
  made.set(name, bytes)
  return bytes
}

const quickly: [name: ClipName, own: ClipRecipe][] = [
  ['h264 mp4', { extension: 'mp4', encoder: x264, ...small }],
  ['vp8 webm', { extension: 'webm', encoder: ['-c:v', 'libvpx', '-deadline', 'realtime'], ...small }],
]

const refusedClips: [name: string, recipe: ClipRecipe, code: string][] = [
  [
    'of 8K frames',
    {
      extension: 'avi',
      encoder: ['-c:v', 'mjpeg', '-q:v', '31'],
      width: 7680,
      height: 4320,
      framesPerSecond: 6,
      seconds: 1,
    },
    'media_unreadable',
  ],
  [
    'of 1000 frames a second',
    { extension: 'avi', encoder: mpeg4, ...small, framesPerSecond: 1000 },
    'media_unreadable',
  ],
  [
    'of one frame',
    { extension: 'mp4', encoder: x264, ...small, output: ['-frames:v', '1'] },
    'media_unreadable',
  ],
  [
    'of four frames',
    { extension: 'mp4', encoder: x264, ...small, output: ['-frames:v', '4'], framesPerSecond: 5 },
    'media_unreadable',
  ],
  ['of 0.4 s', { extension: 'mp4', encoder: x264, ...small, seconds: 0.4 }, 'media_unreadable'],
  ['of 11 s', { extension: 'mp4', encoder: x264, ...small, seconds: 11 }, 'value_invalid'],
  ['of a codec nobody needs', { extension: 'avi', encoder: ['-c:v', 'ffv1'], ...small }, 'media_unsupported'],
  ['of 8 pixels', { extension: 'avi', encoder: mpeg4, ...small, width: 32, height: 8 }, 'media_unreadable'],
]

const longRecipe: ClipRecipe = {
  extension: 'avi',
  encoder: mpeg4,
  ...small,
  framesPerSecond: 4,
  seconds: 600,
}

describe.each(testDecoders)('%s', (title, found) => {
  const decoder = found as VideoDecoder

  describe.skipIf(found === null)('withstands', () => {
    it.each([
      ['nothing', new Uint8Array()],
      ['text', text('not a clip at all')],
      ['a GIF', text('GIF89a and so on')],
      ['a playlist', text('#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n')],
      ['a list of files', text("ffconcat version 1.0\nfile '/etc/passwd'\n")],
      ['a picture', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)],
      ['bare MPEG video', Uint8Array.of(0, 0, 1, 0xb3, 1, 2, 3, 4)],
    ])('%s: unsupported', async (_name, bytes) => {
      expect(await outcome(decoder, bytes)).toBe('media_unsupported')
    })

    it.each(refusedClips)('a clip %s', async (name, recipe, code) => {
      expect(await outcome(decoder, await makeOnce(name, recipe))).toBe(code)
    })

    it('a clip of ten minutes, cropped or not', async () => {
      const bytes = await makeOnce('ten minutes', longRecipe)
      expect(await outcome(decoder, bytes)).toBe('value_invalid')
      expect(await outcome(decoder, bytes, { longer: 'crop' })).toBe('value_invalid')
    })

    it('a file with only sound', async () => {
      const audio = await remake(
        await makeClip({ extension: 'mp4', encoder: x264, ...small, audio: ['-c:a', 'aac'] }),
        'mp4',
        ['-vn', '-c:a', 'copy'],
      )
      expect(await outcome(decoder, audio)).toBe('media_unreadable')
    })

    it('a header without pictures', async () => {
      const whole = await makeClip({
        extension: 'mp4',
        encoder: x264,
        ...small,
        output: ['-movflags', 'faststart'],
      })
      const dataAt = Buffer.from(whole).indexOf('mdat')
      expect(await outcome(decoder, whole.subarray(0, dataAt + 4))).toBe('media_unreadable')
    })

    it('frames that grow within the clip: those within the limit are read', async () => {
      const first = await makeOnce('small ts', { extension: 'ts', encoder: mpeg4, ...small })
      const large = { extension: 'ts', encoder: mpeg4, ...small, width: 640, height: 384 }
      const bytes = concat(first, await makeOnce('large ts', large))
      expect(await outcome(decoder, bytes, { pixelsMax: 100_000 })).toMatch(
        /^accepted (30|31)$|^media_unreadable$/,
      )
      expect(await outcome(decoder, bytes)).toMatch(/^accepted (5|6)\d$/)
    })

    it('a decoder that takes too long', async () => {
      expect(await outcome(decoder, await clip('hevc mp4'), { timeMaxMs: 1 })).toBe('media_unreadable')
    })

    it.skipIf(found?.id === 'ffmpeg-core')('more passes over a clip than its pictures allow', async () => {
      const bytes = await makeOnce('small', { extension: 'mp4', encoder: x264, ...small })
      const pixelsInAllMax = 30 * small.width * small.height
      const passes = async (count: number) =>
        withVideo(
          decoder,
          bytes,
          async (video) => {
            for (let pass = 0; pass < count; pass++)
              await collect(video.frames({ timesS: null, sideMax: 160 }))
          },
          { pixelsInAllMax, pixelsMax: small.width * small.height },
        )
      await passes(3)
      await expect(passes(9)).rejects.toMatchObject({ code: 'media_unreadable' })
    })

    it.each(quickly)(
      '%s cut at every kilobyte',
      async (name, recipe) => {
        const whole = await makeOnce(`small ${name}`, recipe)
        for (let length = 1; length < whole.length; length += 1024) {
          expect([length, await outcome(decoder, whole.subarray(0, length))]).toSatisfy(([, result]) =>
            isFine(String(result)),
          )
        }
        expect(await outcome(decoder, whole)).toBe('accepted 30')
      },
      120_000,
    )

    it('a hundred clips with flipped bits, and reads the next intact one', async () => {
      const names: ClipName[] = [
        'h264 mp4',
        'hevc mp4',
        'vp8 webm',
        'vp9 webm',
        'mjpeg avi',
        'mpeg4 avi',
        'theora ogg',
        'mpeg1video mpg',
        'h264 ts',
        'wmv2 wmv',
      ]
      // Our own leaves the others as they are to the one that it stands before.
      const own: ClipName[] = ['h264 mp4', 'vp8 webm', 'h264 mkv', 'vp8 webm of a browser', 'h264 ts']
      const read = title.startsWith('own') ? own : names
      const next = random(4)
      const results: string[] = []
      for (let i = 0; i < 100; i++) {
        const bytes = flipBits(await clip(read[i % read.length]!), 1 + Math.floor(next() * 60), next)
        results.push(await outcome(decoder, bytes, { timeMaxMs: 5000 }))
      }
      expect(results.filter((result) => !isFine(result))).toEqual([])
      expect(results.filter((result) => result.startsWith('accepted')).length).toBeGreaterThan(20)
      expect(await outcome(decoder, await clip('h264 mp4'))).toBe('accepted 60')
    }, 180_000)

    it('a hundred clips without growing memory', async () => {
      const bytes = await makeOnce('small h264 mp4', quickly[0]![1])
      const rounds = async (count: number) => {
        for (let i = 0; i < count; i++) await outcome(decoder, i % 2 === 0 ? bytes : bytes.subarray(0, 3000))
        return process.memoryUsage().rss / 2 ** 20
      }
      const before = await rounds(30)
      expect((await rounds(100)) - before).toBeLessThan(150)
    }, 120_000)

    it.skipIf(!hasTestData).each(badVideos.length > 0 ? badVideos : ['bad/video'])(
      '%s, with an answer of the contract',
      async (name) => {
        expect(await outcome(decoder, await testData('bad', 'video', name))).toSatisfy(isFine)
      },
    )

    it.skipIf(!hasTestData).each(badVideosWithoutClip)('%s, which is refused', async (name) => {
      const result = await outcome(decoder, await testData('bad', 'video', name))
      expect(result).toMatch(/^media_(unreadable|unsupported)$/)
    })
  })
})
