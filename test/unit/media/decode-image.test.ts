import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { decodeImage, inspectImage } from '../../../src/media/decode-image.ts'
import { stripJpegMetadata } from '../../../src/media/formats/jpeg/jpeg-segments.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import {
  concat,
  exifBlock,
  insertSegment,
  type PngKind,
  pngChunk,
  pngHeader,
  pngSignature,
  ramp,
  withFrame,
  withOrientation,
  writePng,
} from '../../fixtures/pictures.ts'

const limits = { pixelsMax: 1_000_000 }
const picture = ramp(48, 32)
/** A header chunk with an extra byte. */
const longHeader = pngChunk('IHDR', concat(pngHeader(48, 32, 'rgb8').subarray(8, 21), new Uint8Array(1)))
const jpeg = await testCodecs.encodeJpeg({ image: picture, quality: 95 })

const decode = (bytes: Uint8Array) => decodeImage(testCodecs, bytes, inspectImage(openMedium(bytes), limits))
const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work()
  } catch (error) {
    return error instanceof AppError ? error.code : String(error)
  }
  return 'accepted'
}

const pixel = ({ data, width }: RgbaImage, x: number, y: number) => [
  ...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3),
]

function expectClose(actual: RgbaImage, expected: RgbaImage, tolerance: number): void {
  expect([actual.width, actual.height]).toEqual([expected.width, expected.height])
  const far = actual.data.findIndex((value, i) => Math.abs(value - expected.data[i]!) > tolerance)
  expect(far).toBe(-1)
}

describe('decodeImage', () => {
  it.each<PngKind>(['rgb8', 'rgb16', 'rgba8'])('reads a %s PNG exactly', async (kind) => {
    expectClose(await decode(writePng(picture, kind)), picture, 0)
  })

  it.each<PngKind>(['grey8', 'grey16', 'palette'])('reads a %s PNG as grey', async (kind) => {
    const image = await decode(writePng(picture, kind))
    const [r, g, b] = pixel(image, 40, 20)
    expect([g, b]).toEqual([r, r])
    const [er, eg, eb] = pixel(picture, 40, 20)
    expect(Math.abs(r! - (er! + eg! + eb!) / 3)).toBeLessThanOrEqual(kind === 'palette' ? 17 : 1)
  })

  it('blends transparent pixels with white', async () => {
    const clear = ramp(32, 32)
    for (let at = 3; at < clear.data.length; at += 4) clear.data[at] = 0
    expect(pixel(await decode(writePng(clear, 'rgba8')), 5, 5)).toEqual([255, 255, 255])
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('applies EXIF orientation %i', async (orientation) => {
    const plain = await decode(jpeg)
    const image = await decode(withOrientation(jpeg, orientation))
    expect([image.width, image.height]).toEqual(orientation >= 5 ? [32, 48] : [48, 32])
    // Position of the stored top left pixel in the upright picture (EXIF 2.32, table of orientations).
    const corner = {
      1: [0, 0],
      2: [47, 0],
      3: [47, 31],
      4: [0, 31],
      5: [0, 0],
      6: [31, 0],
      7: [31, 47],
      8: [0, 47],
    }
    const [x, y] = corner[orientation as keyof typeof corner] as [number, number]
    expect(pixel(image, x, y)).toEqual(pixel(plain, 0, 0))
  })

  it('reads the orientation in a little-endian PNG block', () => {
    const png = writePng(picture, 'rgb8', [pngChunk('eXIf', exifBlock(6, true))])
    expect(inspectImage(openMedium(png), limits)).toMatchObject({ width: 48, height: 32, orientation: 6 })
  })

  it('ignores a broken EXIF block', () => {
    const broken = insertSegment(
      jpeg,
      0xe1,
      concat(new TextEncoder().encode('Exif\0\0'), Uint8Array.of(0x4d, 0x4d, 0, 42, 0xff)),
    )
    expect(inspectImage(openMedium(broken), limits).orientation).toBe(1)
  })
})

describe('inspectImage and decodeImage', () => {
  it('refuses a size beyond the limit before decoding', async () => {
    expect(
      await codeOf(() => inspectImage(openMedium(withFrame(jpeg, { width: 65000, height: 65000 })), limits)),
    ).toBe('media_unreadable')
  })

  it.each([
    ['an empty file', new Uint8Array(), 'media_unsupported'],
    ['text', new TextEncoder().encode('not a picture at all'), 'media_unsupported'],
    ['a JPEG of two components', withFrame(jpeg, { components: 2 }), 'media_unsupported'],
    ['a JPEG with a wrong number of components', withFrame(jpeg, { components: 4 }), 'media_unreadable'],
    ['a JPEG without pixels', withFrame(jpeg, { height: 0 }), 'media_unreadable'],
    ['a truncated JPEG', jpeg.subarray(0, jpeg.length - 40), 'media_unreadable'],
    ['a JPEG with only a header', jpeg.subarray(0, 30), 'media_unreadable'],
    ['a PNG whose header checksum is wrong', breakByte(writePng(picture, 'rgb8'), 30), 'media_unreadable'],
    ['a PNG without data', concat(pngSignature, pngHeader(48, 32, 'rgb8')), 'media_unreadable'],
    ['a PNG with damaged data', breakByte(writePng(picture, 'rgb8'), 80), 'media_unreadable'],
    [
      'a PNG whose header chunk is empty',
      concat(pngSignature, pngChunk('IHDR', new Uint8Array())),
      'media_unreadable',
    ],
    [
      'a PNG whose header chunk is short',
      concat(pngSignature, pngChunk('IHDR', new Uint8Array(4))),
      'media_unreadable',
    ],
    ['a PNG with an oversized header chunk', concat(pngSignature, longHeader), 'media_unreadable'],
    ['a tiny picture', writePng(ramp(8, 8), 'rgb8'), 'media_unreadable'],
    ['a very high picture', writePng(ramp(16, 16_385), 'grey8'), 'media_unreadable'],
    ['a very wide picture', writePng(ramp(16_385, 16), 'grey8'), 'media_unreadable'],
  ])('refuses %s', async (_, bytes, code) => {
    expect(await codeOf(() => decode(bytes))).toBe(code)
  })

  it('decodes pictures up to the maximum side', async () => {
    const { width, height } = await decode(writePng(ramp(16, 16_384), 'grey8'))
    expect([width, height]).toEqual([16, 16_384])
  })

  it('refuses pictures whose inspection throws, with the cause', () => {
    class Stumbling extends Uint8Array {
      override subarray(): never {
        throw new RangeError('out of bounds')
      }
    }
    const thrown = (() => {
      try {
        const bytes = new Stumbling(withOrientation(jpeg, 6))
        return inspectImage({ kind: 'picture', format: 'jpeg', header: 'damaged', bytes }, limits)
      } catch (error) {
        return error
      }
    })()
    expect(thrown).toBeInstanceOf(AppError)
    expect(thrown).toMatchObject({ code: 'media_unreadable', cause: { message: 'out of bounds' } })
  })

  it('decodes an intact picture after many damaged ones', async () => {
    const bad = [
      breakByte(writePng(picture, 'rgb8'), 80),
      withFrame(jpeg, { width: 900, height: 900, components: 1 }),
      concat(pngSignature, pngHeader(48, 32, 'rgb8')),
    ]
    for (let i = 0; i < 300; i++) await codeOf(() => decode(bad[i % bad.length]!))
    expectClose(await decode(writePng(picture, 'rgb8')), picture, 0)
    expectClose(await decode(jpeg), picture, 60)
  })

  it('does not pass compressed texts to the decoder', async () => {
    const bomb = pngChunk('zTXt', concat(new TextEncoder().encode('note\0\0'), new Uint8Array(1000)))
    expectClose(await decode(writePng(picture, 'rgb8', [bomb])), picture, 0)
  })
})

describe('stripJpegMetadata', () => {
  it('removes EXIF, comments and trailing data, and keeps every pixel', async () => {
    const secret = 'GPS 48.2082 N'
    const note = new TextEncoder().encode(`Exif\0\0${secret}`)
    const tagged = concat(
      insertSegment(insertSegment(jpeg, 0xe1, note), 0xfe, new TextEncoder().encode(secret)),
      new TextEncoder().encode(secret),
    )
    const stripped = stripJpegMetadata(tagged)!
    expect(Buffer.from(stripped).includes(secret)).toBe(false)
    expectClose(await decode(stripped), await decode(jpeg), 0)
  })

  it('keeps the colour profile', () => {
    const profile = insertSegment(jpeg, 0xe2, new TextEncoder().encode('ICC_PROFILE\0some profile'))
    expect(Buffer.from(stripJpegMetadata(profile)!).includes('some profile')).toBe(true)
  })
})

function breakByte(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice()
  copy[at] = copy[at]! ^ 0x55
  return copy
}
