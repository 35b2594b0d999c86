import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openH264 } from '../../../../../src/media/video/h264/h264-decoder.ts'
import { buildModule } from '../../../../../wasm/build-module.mjs'
import { hasFfmpeg } from '../../../../fixtures/clips.ts'
import { decodeByFfmpeg, encode, hashOf, inFolder, pixelsOf } from '../../../../fixtures/coded-streams.ts'
import { randomNumbers, writePcmStream, writeRandomStream } from '../../../../fixtures/h264-writer.ts'
import vector from './vector.json' with { type: 'json' }

const committed = (name: string) => readFile(new URL(`../../../../../wasm/h264/${name}`, import.meta.url))
const module = await WebAssembly.compile(await committed('h264.wasm'))

const open = (pixelsMax = 2 ** 24) => openH264(module, { pixelsMax, memoryBytesMax: 2 ** 28, lengthBytes: 0 })

async function decodeStream(bytes: Uint8Array, skipsOthers = false) {
  const decoder = await open()
  const pictures: Uint8Array[] = []
  for (const picture of decoder.decode(bytes, 0, skipsOthers)) pictures.push(pixelsOf(picture))
  const { refusal } = decoder
  for (const picture of decoder.flush()) pictures.push(pixelsOf(picture))
  return { refusal, pictures }
}

const moving = (size: string) => [
  ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=25:duration=1`],
  ...['-vf', 'noise=alls=12:allf=t', '-pix_fmt', 'yuv420p', '-c:v', 'libx264'],
]

const streams: Readonly<Record<string, readonly string[]>> = {
  'constrained baseline of odd size': [...moving('322x246'), '-profile:v', 'baseline'],
  'baseline of many slices': [
    ...[...moving('176x144'), '-profile:v', 'baseline', '-slices', '7', '-x264opts', 'deblock=-3,2'],
  ],
  main: [...moving('176x144'), '-profile:v', 'main', '-bf', '3', '-refs', '4', '-weightp', '2'],
  high: [...[...moving('178x146'), '-preset', 'veryslow', '-bf', '3', '-refs', '4', '-b-pyramid', 'normal']],
  'high without large transforms': [...moving('176x144'), '-preset', 'slow', '-x264opts', 'no-8x8dct'],
  'high with variable-length codes': [...moving('176x144'), '-preset', 'slow', '-coder', '0', '-crf', '12'],
  'matrices of the standard': [...moving('176x144'), '-x264opts', 'cqm=jvt', '-crf', '20'],
  'temporal direct prediction': [
    ...[...moving('176x144'), '-bf', '8', '-b-pyramid', 'strict', '-refs', '16'],
    ...['-x264opts', 'direct=temporal:b-adapt=0:partitions=all'],
  ],
  'fading, with weights': [
    ...[...moving('176x144'), '-vf', 'fade=in:0:20', '-preset', 'slow', '-bf', '3', '-weightp', '2'],
  ],
  'constrained intra prediction': [...moving('176x144'), '-x264opts', 'constrained-intra=1'],
  'no deblocking filter': [...moving('176x144'), '-x264opts', 'no-deblock'],
  'the finest quantiser': [...moving('96x80'), '-preset', 'slow', '-qp', '1', '-bf', '2'],
  'the coarsest quantiser': [...moving('176x144'), '-qp', '51', '-bf', '2'],
  'open groups of pictures': [...moving('176x144'), '-x264opts', 'open-gop=1', '-g', '10', '-bf', '3'],
  'a single macroblock': [...moving('16x16'), '-preset', 'slow'],
}

const random = [0, 1, 2].flatMap((pocType) =>
  [0, 1, 2].flatMap((weighting) =>
    ([null, 'spatial', 'temporal'] as const).flatMap((direct) =>
      [true, false]
        .filter(() => direct !== 'temporal' || pocType === 0)
        .map((isInferred, k) => ({
          ...{ seed: pocType * 100 + weighting * 10 + k, pocType: pocType as 0 | 1 | 2 },
          ...{ isInferred, weighting: weighting as 0 | 1 | 2, direct, isManaged: direct !== 'temporal' },
          ...{ slices: 1 + 2 * k, pictures: 8 },
        })),
    ),
  ),
)

describe('H.264 decoder', () => {
  it('is built from its source', async () => {
    const { bytes, sha256 } = await buildModule('h264')
    expect(Buffer.from(bytes).equals(await committed('h264.wasm'))).toBe(true)
    expect((await committed('h264.wasm.sha256')).toString()).toBe(`${sha256}  h264.wasm\n`)
  })

  it('decodes the committed stream', async () => {
    const { refusal, pictures } = await decodeStream(Buffer.from(vector.stream, 'base64'))
    expect(refusal).toBeNull()
    expect(pictures).toHaveLength(vector.pictures)
    expect(hashOf(pictures)).toBe(vector.sha256)
  })

  it.skipIf(!hasFfmpeg).each(Object.keys(streams))('decodes %s as ffmpeg does', async (name) => {
    await inFolder(async (folder) => {
      const file = path.join(folder, 'stream.h264')
      await encode(streams[name]!, file)
      const { refusal, pictures } = await decodeStream(await readFile(file))
      expect(refusal).toBeNull()
      expect(hashOf(pictures)).toBe(await decodeByFfmpeg(file))
    })
  })

  it.skipIf(!hasFfmpeg).each(random)('decodes random syntax as ffmpeg does: %j', async (options) => {
    await inFolder(async (folder) => {
      const file = path.join(folder, 'stream.h264')
      const bytes = writeRandomStream(options)
      await writeFile(file, bytes)
      const { pictures } = await decodeStream(bytes)
      expect(hashOf(pictures)).toBe(await decodeByFfmpeg(file))
    })
  })

  it.skipIf(!hasFfmpeg)('decodes uncompressed macroblocks between arithmetic codes', async () => {
    await inFolder(async (folder) => {
      const file = path.join(folder, 'stream.h264')
      const bytes = writePcmStream(1)
      await writeFile(file, bytes)
      expect(hashOf((await decodeStream(bytes)).pictures)).toBe(await decodeByFfmpeg(file))
    })
  })

  it.skipIf(!hasFfmpeg).each([
    ['interlaced pictures', ['-flags', '+ildct']],
    ['4:4:4', ['-pix_fmt', 'yuv444p']],
    ['10 bits', ['-pix_fmt', 'yuv420p10le']],
  ])('refuses %s', async (_name, options) => {
    await inFolder(async (folder) => {
      const file = path.join(folder, 'stream.h264')
      await encode([...moving('64x64'), ...options], file)
      const { refusal, pictures } = await decodeStream(await readFile(file))
      expect(refusal).toBe('unsupported')
      expect(pictures).toHaveLength(0)
    })
  })

  it('refuses pictures beyond the limit', async () => {
    const decoder = await open(48 * 32)
    expect([...decoder.decode(Buffer.from(vector.stream, 'base64'), 0)]).toHaveLength(0)
    expect(decoder.refusal).toBe('too_large')
  })

  it('leaves out pictures that no other refers to, and decodes the rest the same', async () => {
    const bytes = Buffer.from(vector.stream, 'base64')
    const all = (await decodeStream(bytes)).pictures.map((picture) => hashOf([picture]))
    const some = (await decodeStream(bytes, true)).pictures.map((picture) => hashOf([picture]))
    expect(some.length).toBeLessThan(all.length)
    expect(some.every((hash) => all.includes(hash))).toBe(true)
  })

  it.each([0, 1, 2] as const)(
    'takes sets that come again for the same, with order of type %i',
    async (pocType) => {
      const bytes = writeRandomStream({
        ...{ seed: 5, pocType, isInferred: true, weighting: 0, direct: null, isManaged: false },
        ...{ slices: 1, pictures: 8 },
      })
      const units = Buffer.from(bytes).toString('latin1').split('\0\0\0\x01').slice(1)
      const [sps, pps, ...slices] = units
      const again = slices.map((slice) => ['', sps, pps, slice].join('\0\0\0\x01')).join('')
      expect(hashOf((await decodeStream(Buffer.from(again, 'latin1'))).pictures)).toBe(
        hashOf((await decodeStream(bytes)).pictures),
      )
    },
  )

  it('survives damage, and decodes the next stream', async () => {
    const next = randomNumbers(1)
    const sources = [
      Buffer.from(vector.stream, 'base64'),
      ...random.slice(0, 6).map((options) => writeRandomStream({ ...options, pictures: 4 })),
    ]
    const decoder = await open(2 ** 20)
    for (let round = 0; round < 400; round++) {
      const bytes = Uint8Array.from(sources[next(sources.length)]!)
      for (let k = next(12); k >= 0; k--) bytes[next(2) ? next(bytes.length) : next(60)] = next(256)
      for (const _ of decoder.decode(bytes, round));
      for (const _ of decoder.flush());
    }
    decoder.reset()
    const pictures: Uint8Array[] = []
    for (const picture of decoder.decode(sources[0]!, 0)) pictures.push(pixelsOf(picture))
    for (const picture of decoder.flush()) pictures.push(pixelsOf(picture))
    expect(hashOf(pictures)).toBe(vector.sha256)
  })
})
