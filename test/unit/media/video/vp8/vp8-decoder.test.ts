import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openVp8 } from '../../../../../src/media/video/vp8/vp8-decoder.ts'
import { buildModule } from '../../../../../wasm/build-module.mjs'
import { hasFfmpeg } from '../../../../fixtures/clips.ts'
import { decodeByFfmpeg, encode, hashOf, inFolder, pixelsOf } from '../../../../fixtures/coded-streams.ts'
import { randomNumbers } from '../../../../fixtures/h264-writer.ts'
import { type RandomVp8, readIvf, writeIvf, writeRandomVp8 } from '../../../../fixtures/vp8-writer.ts'

const committed = (name: string) => readFile(new URL(`../../../../../wasm/vp8/${name}`, import.meta.url))
const module = await WebAssembly.compile(await committed('vp8.wasm'))

const open = (pixelsMax = 2 ** 24) => openVp8(module, { pixelsMax, memoryBytesMax: 2 ** 28 })

async function decodeFrames(frames: readonly Uint8Array[], decoder = open()) {
  const opened = await decoder
  const pictures: Uint8Array[] = []
  const refusals: unknown[] = []
  for (const [number, frame] of frames.entries()) {
    for (const picture of opened.decode(frame, number)) pictures.push(pixelsOf(picture))
    refusals.push(opened.refusal)
  }
  return { pictures, refusals: new Set(refusals) }
}

const ofSize = (size: string, filter = 'noise=alls=12:allf=t') => [
  ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=25:duration=1`],
  ...['-vf', filter, '-pix_fmt', 'yuv420p', '-c:v', 'libvpx', '-b:v', '200k'],
]
const moving = ofSize('176x144')
const good = ['-deadline', 'good', '-cpu-used', '0']
const realtime = ['-deadline', 'realtime']
const shaking = "scale=352:288,crop=176:144:x='88+80*sin(n*9)':y='72+70*cos(n*7)'"

const streams: Readonly<Record<string, readonly string[]>> = {
  'profile 0': [...moving, '-profile:v', '0', ...good],
  'profile 1': [...moving, '-profile:v', '1', ...good],
  'profile 2': [...moving, '-profile:v', '2', ...good],
  'profile 3': [...moving, '-profile:v', '3', ...good],
  'the best encoder': [...moving, '-deadline', 'best'],
  'a real-time encoder': [...moving, ...realtime, '-cpu-used', '8'],
  'the fastest real-time encoder': [...moving, ...realtime, '-cpu-used', '-16'],
  'two partitions of tokens': [...moving, '-slices', '2'],
  'eight partitions of tokens': [...ofSize('176x272'), '-slices', '8'],
  'independent frames and partitions': [
    ...[...moving, '-error-resilient', 'default+partitions', '-slices', '4'],
  ],
  'the finest quantiser': [...moving, '-qmin', '0', '-qmax', '0', '-b:v', '50M'],
  'the coarsest quantiser': [...moving, '-qmin', '63', '-qmax', '63', '-b:v', '10k'],
  'a sharp filter': [...moving, '-sharpness', '7', '-qmin', '40'],
  'a somewhat sharp filter': [...moving, '-sharpness', '3', '-qmin', '40'],
  'much noise': [...ofSize('176x144', 'noise=alls=60:allf=t'), '-noise-sensitivity', '4', ...realtime],
  'fast motion beyond the edges': [...ofSize('176x144', shaking), '-deadline', 'best'],
  'no motion': [...ofSize('176x144', 'select=eq(n\\,0),loop=24:1')],
  'still segments': [...moving, '-static-thresh', '800', ...realtime, '-cpu-used', '5'],
  'many key frames': [...moving, '-g', '5'],
  'temporal layers': [
    ...[...moving, ...realtime, '-error-resilient', 'default', '-ts-parameters'],
    'ts_number_layers=3:ts_target_bitrate=50,80,150:ts_rate_decimator=4,2,1:ts_periodicity=4:ts_layer_id=0,2,1,2:ts_layering_mode=3',
  ],
  'an odd size': [...ofSize('175x143'), ...good],
  'an odd size of profile 3': [...ofSize('175x143'), '-profile:v', '3', ...good],
  'a single macroblock': [...ofSize('16x16')],
  'a few pixels': [...ofSize('2x2', 'null')],
  '720p': [...ofSize('1280x720'), ...realtime, '-cpu-used', '8', '-b:v', '2M', '-frames:v', '8'],
}

const sizes = [
  { width: 64, height: 48 },
  { width: 57, height: 51 },
  { width: 50, height: 60 },
]
/** But for two, on which FFmpeg and libvpx differ from each other, and ours from both. */
const seeds = Array.from({ length: 40 }, (_, i) => i).filter((seed) => seed !== 17 && seed !== 22)
const random = seeds.map(
  (seed): RandomVp8 => ({
    ...{ seed, partitions: (seed & 3) as RandomVp8['partitions'] },
    ...{ profile: ((seed >> 2) & 3) as RandomVp8['profile'], ...sizes[seed % 3]!, frames: 10 },
  }),
)

describe('VP8 decoder', () => {
  it('is built from its source', async () => {
    const { bytes, sha256 } = await buildModule('vp8')
    expect(Buffer.from(bytes).equals(await committed('vp8.wasm'))).toBe(true)
    expect((await committed('vp8.wasm.sha256')).toString()).toBe(`${sha256}  vp8.wasm\n`)
  })

  it('decodes random syntax as it did when ffmpeg decoded it alike', async () => {
    const hashes = await Promise.all(
      random
        .slice(0, 8)
        .map(async (options) => hashOf((await decodeFrames(writeRandomVp8(options))).pictures)),
    )
    expect(hashOf(hashes.map((hash) => Buffer.from(hash)))).toBe(
      '4e71ed390e5958946c526aeb8caa7b883ed1952920dfb898c7568f758392dcdb',
    )
  })

  it.skipIf(!hasFfmpeg).each(Object.keys(streams))('decodes %s as ffmpeg does', async (name) => {
    await inFolder(async (folder) => {
      const file = path.join(folder, 'stream.ivf')
      await encode(streams[name]!, file)
      const { refusals, pictures } = await decodeFrames(readIvf(await readFile(file)))
      expect(refusals).toEqual(new Set([null]))
      expect(hashOf(pictures)).toBe(await decodeByFfmpeg(file))
    })
  })

  it.skipIf(!hasFfmpeg)('decodes frames that are not shown', async () => {
    await inFolder(async (folder) => {
      const file = path.join(folder, 'stream.ivf')
      const options = ['-auto-alt-ref', '1', '-lag-in-frames', '16', '-passlogfile', path.join(folder, 'log')]
      const args = [...ofSize('176x144', 'null'), '-b:v', '40k', ...good, ...options, '-pass']
      for (const pass of ['1', '2']) await encode([...args, pass], file)
      const frames = readIvf(await readFile(file))
      const { pictures } = await decodeFrames(frames)
      expect(pictures.length).toBeLessThan(frames.length)
      expect(hashOf(pictures)).toBe(await decodeByFfmpeg(file))
    })
  })

  it.skipIf(!hasFfmpeg).each(random)('decodes random syntax as ffmpeg does: %j', async (options) => {
    await inFolder(async (folder) => {
      const file = path.join(folder, 'stream.ivf')
      const frames = writeRandomVp8(options)
      await writeFile(file, writeIvf(frames, options.width, options.height))
      const { refusals, pictures } = await decodeFrames(frames)
      expect(refusals).toEqual(new Set([null]))
      expect(hashOf(pictures)).toBe(await decodeByFfmpeg(file))
    })
  })

  it('changes its size at key frames, in the memory of the largest', async () => {
    const parts = random.slice(0, 3).map(writeRandomVp8)
    const alone = await Promise.all(parts.map((frames) => decodeFrames(frames)))
    const expected = alone.flatMap(({ pictures }) => pictures)
    const decoder = await open()
    const turns = Array.from({ length: 40 }, () => parts.flat()).flat()
    const { refusals, pictures } = await decodeFrames(turns, Promise.resolve(decoder))
    expect(refusals).toEqual(new Set([null]))
    expect(hashOf(pictures.slice(0, expected.length))).toBe(hashOf(expected))
    expect(hashOf(pictures.slice(-expected.length))).toBe(hashOf(expected))
    expect(decoder.size()).toEqual(sizes[random[2]!.seed % 3])
  })

  it('refuses pictures beyond the limit, and frames that need others', async () => {
    const [key, ...rest] = writeRandomVp8(random[0]!)
    expect((await decodeFrames([key!], open(48 * 48))).refusals).toEqual(new Set(['too_large']))
    expect((await decodeFrames(rest.filter((frame) => frame[0]! & 1))).refusals).toEqual(new Set(['damaged']))
    const future = Uint8Array.from(key!)
    future[0]! |= 4 << 1
    expect((await decodeFrames([future])).refusals).toEqual(new Set(['unsupported']))
    expect((await decodeFrames([new Uint8Array()])).refusals).toEqual(new Set(['damaged']))
  })

  it('survives damage, and decodes the next stream', async () => {
    const next = randomNumbers(1)
    const options = { partitions: 1, profile: 0, width: 32, height: 32, frames: 6 } as const
    const sources = Array.from({ length: 6 }, (_, seed) => writeRandomVp8({ ...options, seed }))
    const decoder = await open(2 ** 16)
    for (let round = 0; round < 3000; round++) {
      const bytes = Uint8Array.from(sources[next(6)]![next(6)]!)
      for (let k = next(8); k > 0; k--) bytes[next(2) ? next(bytes.length) : next(40)] = next(256)
      const frame = next(3) === 0 ? bytes.subarray(0, next(bytes.length)) : bytes
      for (const picture of decoder.decode(frame, round)) expect(picture.width).toBeGreaterThan(0)
    }
    decoder.reset()
    const { pictures } = await decodeFrames(sources[0]!, Promise.resolve(decoder))
    expect(hashOf(pictures)).toBe(hashOf((await decodeFrames(sources[0]!)).pictures))
  })
})
