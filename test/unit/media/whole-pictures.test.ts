/** A JPEG whose coded data end early is refused. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { openMozjpegDecoder } from '../../../src/media/mozjpeg-codec.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { coefficientJpeg } from '../../fixtures/coefficient-jpeg.ts'
import { generator } from '../../fixtures/gallery.ts'
import { encodeWithMozjpeg } from '../../fixtures/mozjpeg.ts'
import { concat, ramp } from '../../fixtures/pictures.ts'
import { decode as decodePortrait, portrait } from '../../fixtures/portraits.ts'

const endMarker = Uint8Array.of(0xff, 0xd9)

const decode = (bytes: Uint8Array) => testCodecs.decode('jpeg', bytes)

async function answerTo(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'read'
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`
  }
}

const incomplete =
  'media_unreadable: The JPEG is incomplete: it was cut off or damaged on the way. Send the whole file'

const size = { width: 90, height: 70 }
const sampled = (...factors: (readonly [number, number])[]) => ({ ...size, factors })
const colour = sampled([2, 2], [1, 1], [1, 1])

const kinds: [string, () => Promise<Uint8Array> | Uint8Array][] = [
  ['baseline 4:2:0', () => coefficientJpeg(colour, generator(1))],
  ['baseline 4:4:4', () => coefficientJpeg(sampled([1, 1], [1, 1], [1, 1]), generator(2))],
  ['baseline 4:1:1', () => coefficientJpeg(sampled([4, 1], [1, 1], [1, 1]), generator(3))],
  ['grey', () => coefficientJpeg(sampled([1, 1]), generator(4))],
  ['with restart markers', () => coefficientJpeg({ ...colour, interval: 2 }, generator(6))],
  ['in scans of their own', () => coefficientJpeg({ ...colour, scans: [[0], [1, 2]] }, generator(7))],
  [
    'in scans with restart markers',
    () => coefficientJpeg({ ...colour, interval: 3, scans: [[0], [1], [2]] }, generator(8)),
  ],
  ['progressive', () => encodeWithMozjpeg(ramp(90, 70), { progressive: true })],
  ['of a phone', () => portrait('smiling', 60)],
  [
    'progressive of a phone',
    async () => encodeWithMozjpeg(await decodePortrait(await portrait('smiling')), { progressive: true }),
  ],
]

/** Lengths to which a file is cut: each of the last ones, and some in all of it. */
const cuts = (length: number): number[] => [
  ...Array.from({ length: 40 }, (_, i) => Math.floor((length * (i + 1)) / 41)).filter((cut) => cut > 24),
  ...Array.from({ length: 20 }, (_, i) => length - 20 + i),
]

describe('a JPEG', () => {
  it.each(kinds)(
    '%s is read if all of its coded data are there, and refused if one byte is missing',
    async (_, make) => {
      const bytes = await make()
      const dataEnd = bytes.length - endMarker.length
      expect(bytes.subarray(dataEnd)).toEqual(endMarker)
      const scanAt = Buffer.from(bytes).indexOf(Buffer.of(0xff, 0xda)) + 20
      for (const cut of cuts(bytes.length).filter((length) => length > scanAt)) {
        const expected = cut >= dataEnd ? 'read' : incomplete
        const open = bytes.subarray(0, cut)
        expect(await answerTo(() => decode(open)), `cut to ${cut} of ${bytes.length}`).toBe(expected)
        const ended = concat(open, endMarker)
        expect(await answerTo(() => decode(ended)), `cut to ${cut} of ${bytes.length}, and ended`).toBe(
          expected,
        )
      }
    },
  )

  it('is refused if a part is missing in the middle, and restart markers tell', async () => {
    const bytes = coefficientJpeg({ ...colour, interval: 2 }, generator(6))
    const isRestart = (at: number) => bytes[at] === 0xff && bytes[at + 1]! >= 0xd0 && bytes[at + 1]! < 0xd8
    const restarts = [...bytes.keys()].filter(isRestart)
    const lacking = concat(bytes.subarray(0, restarts[3]), bytes.subarray(restarts[5]))
    expect(await answerTo(() => decode(lacking))).toBe(incomplete)
  })
})

describe('mozjpeg, which reads what our decoder does not', async () => {
  const require = createRequire(import.meta.url)
  const module = await WebAssembly.compile(
    await readFile(require.resolve('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm')),
  )

  it.each(kinds)('%s: tells that data are missing', async (_, make) => {
    const bytes = await make()
    const scanAt = bytes.findLastIndex((byte, at) => byte === 0xff && bytes[at + 1] === 0xda) + 20
    for (const cut of cuts(bytes.length).filter((length) => length > scanAt)) {
      const expected = cut >= bytes.length - endMarker.length ? 'read' : incomplete
      for (const end of [new Uint8Array(), endMarker]) {
        const decoder = await openMozjpegDecoder(module)
        const cutBytes = concat(bytes.subarray(0, cut), end)
        expect(await answerTo(async () => decoder.run(cutBytes)), `cut to ${cut}`).toBe(expected)
      }
    }
  })
})
