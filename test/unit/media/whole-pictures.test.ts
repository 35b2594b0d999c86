/** Pictures whose data are all there are read, whatever surrounds them; others are refused with what to do. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { decodeImage, inspectImage, openImage } from '../../../src/media/decode-image.ts'
import { stripJpegMetadata } from '../../../src/media/formats/jpeg/jpeg-segments.ts'
import { openMozjpegDecoder } from '../../../src/media/formats/jpeg/mozjpeg-codec.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { coefficientJpeg } from '../../fixtures/coefficient-jpeg.ts'
import { generator } from '../../fixtures/gallery.ts'
import { encodeWithMozjpeg } from '../../fixtures/mozjpeg.ts'
import { concat, insertSegment, ramp, writePng } from '../../fixtures/pictures.ts'
import { decode as decodePortrait, portrait } from '../../fixtures/portraits.ts'
import { jpegSegment, progressiveJpeg } from '../../fixtures/progressive-jpeg.ts'
import { hasTestData, testData } from '../../fixtures/test-data.ts'

const limits = { pixelsMax: 40_000_000 }
const endMarker = Uint8Array.of(0xff, 0xd9)
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

const decode = (bytes: Uint8Array) => decodeImage(testCodecs, bytes, inspectImage(openMedium(bytes), limits))
const isSamePicture = async (a: Uint8Array, b: Uint8Array): Promise<boolean> =>
  Buffer.from((await decode(a)).data).equals(Buffer.from((await decode(b)).data))

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
  ['CMYK', () => coefficientJpeg(sampled([1, 1], [1, 1], [1, 1], [1, 1]), generator(5))],
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
      for (const cut of cuts(bytes.length)) {
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

  it('is the same picture with and without its end marker', async () => {
    for (const [, make] of kinds) {
      const bytes = await make()
      expect(await isSamePicture(bytes.subarray(0, -2), bytes)).toBe(true)
    }
  })

  it('is refused if a part is missing in the middle, and restart markers tell', async () => {
    const bytes = coefficientJpeg({ ...colour, interval: 2 }, generator(6))
    const isRestart = (at: number) => bytes[at] === 0xff && bytes[at + 1]! >= 0xd0 && bytes[at + 1]! < 0xd8
    const restarts = [...bytes.keys()].filter(isRestart)
    const lacking = concat(bytes.subarray(0, restarts[3]), bytes.subarray(restarts[5]))
    expect(await answerTo(() => decode(lacking))).toBe(incomplete)
  })

  it('is refused without one of the scans', async () => {
    const bytes = coefficientJpeg({ ...colour, scans: [[0], [2]] }, generator(7))
    expect(await answerTo(() => decode(bytes))).toBe(incomplete)
  })

  it('is refused when it is opened piece by piece, too', async () => {
    const large = coefficientJpeg({ ...colour, width: 2600, height: 200 }, generator(9))
    const open = async (bytes: Uint8Array) =>
      (await openImage(testCodecs, bytes, inspectImage(openMedium(bytes), limits))).close()
    expect(await answerTo(() => open(large.subarray(0, -2)))).toBe('read')
    expect(await answerTo(() => open(large.subarray(0, -3)))).toBe(incomplete)
  })

  it.skipIf(!hasTestData)('of a public report is read without its end marker', async () => {
    const bytes = await testData('reports', 'jpeg-without-end-marker.jpg')
    expect((await decode(bytes)).width).toBe(1200)
    expect(await answerTo(() => decode(bytes.subarray(0, -3000)))).toBe(incomplete)
  })
})

describe('mozjpeg, which reads what our decoder does not', async () => {
  const require = createRequire(import.meta.url)
  const module = await WebAssembly.compile(
    await readFile(require.resolve('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm')),
  )

  it.each(kinds.filter(([name]) => name !== 'CMYK'))('%s: tells that data are missing', async (_, make) => {
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

describe('what surrounds the picture of a JPEG', async () => {
  const bytes = await portrait('redhead')
  const thumbnail = await testCodecs.encodeJpeg({ image: ramp(32, 32), quality: 80 })

  it.each([
    ['bytes behind the end', concat(bytes, ascii('left over'), new Uint8Array(3000))],
    ['zeros instead of the end marker', concat(bytes.subarray(0, -2), new Uint8Array(3000))],
    [
      'a second picture, as of gain maps and 3D cameras',
      concat(insertSegment(bytes, 0xe2, ascii('MPF\0II*\0')), thumbnail),
    ],
    [
      'a film, as of motion photos',
      concat(bytes, Uint8Array.of(0, 0, 0, 24), ascii('ftypmp42'), new Uint8Array(5000)),
    ],
    ['a thumbnail in EXIF', insertSegment(bytes, 0xe1, concat(ascii('Exif\0\0MM\0*'), thumbnail))],
    [
      'a thumbnail in JFXX',
      insertSegment(bytes, 0xe0, concat(ascii('JFXX\0'), Uint8Array.of(0x10), thumbnail)),
    ],
    [
      'a comment that is cut off',
      concat(bytes.subarray(0, -2), Uint8Array.of(0xff, 0xfe, 0x10, 0), ascii('cut')),
    ],
  ])('does not change it: %s', async (_, surrounded) => {
    expect(await isSamePicture(surrounded, bytes)).toBe(true)
    const stripped = stripJpegMetadata(surrounded)
    if (stripped) expect(Buffer.from(stripped).equals(Buffer.from(stripJpegMetadata(bytes)!))).toBe(true)
    else expect(surrounded.lastIndexOf(0xd9)).not.toBe(bytes.length - 1)
  })

  it('is refused if it is a scan that changes the picture again', async () => {
    const [first, second] = [coefficientJpeg(colour, generator(1)), coefficientJpeg(colour, generator(2))]
    const scanAt = Buffer.from(second).indexOf(Buffer.of(0xff, 0xda))
    const both = concat(first.subarray(0, -2), second.subarray(scanAt))
    expect(await answerTo(() => decode(both))).toBe(
      'media_unreadable: The JPEG cannot be decoded: it is damaged. Send another copy',
    )
  })
})

it('a picture whose header says nothing is damaged, in the words of people', async () => {
  const png = writePng(ramp(20, 20), 'rgba8')
  png.fill(0, 8, 33)
  expect(await answerTo(() => decode(png))).toBe(
    'media_unreadable: The PNG cannot be decoded: it is damaged. Send another copy',
  )
})

describe('the inks of a print', () => {
  const adobe = (transform: number) =>
    jpegSegment(0xee, concat(ascii('Adobe'), Uint8Array.of(0, 100, 0, 0, 0, 0, transform)))
  const pair = [1, 1] as const
  /** The components of a file of one scan for each: each is like that of a grey picture. */
  const made = (count: number, extra?: Uint8Array, random = generator(3)) =>
    coefficientJpeg(
      {
        width: 40,
        height: 24,
        factors: Array(count).fill(pair),
        scans: [[0], [1], [2], [3]].slice(0, count),
        ...(extra ? { extra } : {}),
      },
      random,
    )

  async function planes(): Promise<Uint8ClampedArray[]> {
    const random = generator(3)
    const found: Uint8ClampedArray[] = []
    for (let i = 0; i < 4; i++) found.push((await decode(made(1, undefined, random))).data)
    return found
  }

  it.each([
    ['as amounts of ink', undefined, (ink: number, black: number) => ((255 - ink) * (255 - black)) / 255],
    ['inverted, as Adobe writes them', adobe(0), (ink: number, black: number) => (ink * black) / 255],
  ])('are printed on white: %s', async (_, extra, print) => {
    const [cyan, magenta, yellow, black] = (await planes()) as [
      Uint8ClampedArray,
      Uint8ClampedArray,
      Uint8ClampedArray,
      Uint8ClampedArray,
    ]
    const { data } = await decode(made(4, extra))
    for (let at = 0; at < data.length; at += 4) {
      const expected = [cyan, magenta, yellow].map((ink) => print(ink[at]!, black[at]!))
      for (let i = 0; i < 3; i++) expect(Math.abs(data[at + i]! - expected[i]!)).toBeLessThanOrEqual(0.51)
      expect(data[at + 3]).toBe(255)
    }
  })

  it('are printed on white: as luma and chroma', async () => {
    const black = (await planes())[3]!
    const { data: light } = await decode(made(3))
    const { data } = await decode(made(4, adobe(2)))
    for (let at = 0; at < data.length; at++)
      if (at % 4 < 3)
        expect(Math.abs(data[at]! - ((255 - light[at]!) * black[at]!) / 255)).toBeLessThanOrEqual(0.51)
  })
})

describe('kinds of JPEG that no decoder here reads', () => {
  it.each([
    ['arithmetic coding', 1, 0xc9, 'A JPEG with arithmetic coding is not supported'],
    ['progressive arithmetic coding', 1, 0xca, 'A JPEG with arithmetic coding is not supported'],
    ['lossless coding', 1, 0xc3, 'A JPEG with lossless coding is not supported'],
    ['hierarchical coding', 1, 0xc5, 'A JPEG with hierarchical coding is not supported'],
    ['12 bits', 4, 12, 'A JPEG of 12 bits is not supported'],
    ['colours at three halves', 14, 0x31, 'A JPEG with fractional sampling is not supported'],
    ['two components', 9, 2, 'A JPEG of 2 components is not supported'],
  ])('are refused with what to send: %s', async (_, offset, value, message) => {
    const bytes = (await testCodecs.encodeJpeg({ image: ramp(40, 40), quality: 80 })).slice()
    const at = bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === 0xc0)
    bytes[at + offset] = value
    const expected = 'a baseline or progressive JPEG, PNG or WebP'
    expect(await answerTo(() => decode(bytes))).toBe(`media_unsupported: ${message}; send ${expected}`)
  })
})

describe('another picture that is cut off', () => {
  const image = ramp(64, 48)

  it.each([
    ['PNG', () => writePng(image, 'rgb8')],
    ['WebP', () => testCodecs.encodeWebp({ image, quality: 80 })],
  ])('is refused with the same words: %s', async (format, make) => {
    const bytes = (await make())!
    expect(await answerTo(() => decode(bytes))).toBe('read')
    for (const share of [0.3, 0.5, 0.9])
      expect(await answerTo(() => decode(bytes.subarray(0, bytes.length * share)))).toBe(
        incomplete.replace('JPEG', format),
      )
  })
})

it('a progressive JPEG of 12 megapixels is read', async () => {
  const { width, height } = await decode(progressiveJpeg({ width: 4032, height: 3024, scans: 10 }))
  expect([width, height]).toEqual([4032, 3024])
})

it('a picture of too many pixels is refused with the limit', async () => {
  const bytes = progressiveJpeg({ width: 8000, height: 6000, scans: 3 })
  expect(await answerTo(() => decode(bytes))).toBe(
    'media_unreadable: The picture has 8000 × 6000 pixels; send a smaller one: at most 40 megapixels',
  )
})
