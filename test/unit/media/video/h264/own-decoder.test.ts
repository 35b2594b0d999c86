/** Files that are made to cost much, or to be judged by other pictures than players show. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { openOwnDecoder } from '../../../../../src/media/video/h264/own-decoder.ts'
import type { VideoDecoder } from '../../../../../src/media/video/video-decoder.ts'
import { type H264File, writeMp4, writePps, writeSlice, writeSps } from '../../../../fixtures/h264-files.ts'
import { collect, openClip, testLimits, withVideo } from '../../../../fixtures/video-decoders.ts'

const module = await WebAssembly.compile(
  await readFile(new URL('../../../../../wasm/h264/h264.wasm', import.meta.url)),
)
const other: VideoDecoder = {
  id: 'lean',
  open: async () => {
    throw new Error('left to the other decoder')
  },
}
const decoder = openOwnDecoder(module, other)
/** A module whose `input` is `unreachable`. */
const trap =
  '0061736d01000000010a026000017f60027f7f00030302000107100205696e7075740000046f70656e00010a08020300000b02000b'
const leftToOther = /left to the other decoder/

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

describe('own decoder', () => {
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
  it.each(Object.keys(irregular))('leaves %s to the other decoder', async (name) => {
    await expect(count(irregular[name]!)).rejects.toThrow(leftToOther)
  })

  it('leaves two movies to the other decoder', async () => {
    const bytes = Buffer.from(writeMp4(file))
    const twice = Buffer.concat([bytes, bytes.subarray(bytes.indexOf('moov') - 4)])
    await expect(decoder.open(openClip(twice), testLimits)).rejects.toThrow(leftToOther)
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
    const trapping = await WebAssembly.compile(Uint8Array.from(Buffer.from(trap, 'hex')))
    await expect(
      openOwnDecoder(trapping, other).open(openClip(writeMp4(file)), testLimits),
    ).rejects.toMatchObject({
      code: 'media_unreadable',
    })
  })
})
