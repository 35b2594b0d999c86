import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../../src/errors.ts'
import { decodeImage, inspectImage } from '../../../../../src/media/decode-image.ts'
import { readJpegHeader } from '../../../../../src/media/formats/jpeg/jpeg-header.ts'
import { stripJpegMetadata } from '../../../../../src/media/formats/jpeg/jpeg-segments.ts'
import { HeaderCursor, threadBudget } from '../../../../../src/media/header-cursor.ts'
import { openMedium } from '../../../../../src/media/opened-medium.ts'
import { testCodecs } from '../../../../fixtures/codecs.ts'
import { concat, exifBlock, ramp } from '../../../../fixtures/pictures.ts'
import { jpegSegment, progressiveJpeg } from '../../../../fixtures/progressive-jpeg.ts'

const text = (content: string) => new TextEncoder().encode(content)
const codeOf = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error instanceof AppError ? error.code : error
  }
  return 'accepted'
}

const headerOf = (bytes: Uint8Array) => readJpegHeader(new HeaderCursor(bytes, threadBudget()))
const huge = { width: 6320, height: 6320 }
const limits = { pixelsMax: 40_000_000 }
const decode = async (bytes: Uint8Array) =>
  decodeImage(testCodecs, bytes, inspectImage(openMedium(bytes), limits))

describe('the scans of a JPEG', () => {
  it('are counted to the end of the image', () => {
    expect(headerOf(progressiveJpeg({ width: 64, height: 48, scans: 7 }))).toMatchObject({
      width: 64,
      height: 48,
      components: 1,
      scans: 7,
    })
  })

  it.each([
    ['ten scans of 40 megapixels', { ...huge, scans: 10 }, 'accepted'],
    ['a hundred scans of a selfie', { width: 960, height: 1280, scans: 100 }, 'accepted'],
    ['more scans than any encoder writes', { width: 64, height: 48, scans: 101 }, 'media_unreadable'],
    ['more scans than its size allows', { ...huge, scans: 40 }, 'media_unreadable'],
    ['a bomb of 1500 scans', { ...huge, scans: 1500 }, 'media_unreadable'],
  ])('decide whether it is decoded: %s', (_, made, expected) => {
    expect(codeOf(() => inspectImage(openMedium(progressiveJpeg(made)), limits))).toBe(expected)
  })

  it('are decoded like any other picture', async () => {
    const image = await decode(progressiveJpeg({ width: 64, height: 48, scans: 4 }))
    expect([image.width, image.height, ...image.data.subarray(0, 3)]).toEqual([64, 48, 128, 128, 128])
  })

  it('must have all bits of all coefficients', () => {
    const whole = progressiveJpeg({ width: 64, height: 48, scans: 5 })
    const scansAt = [...whole.keys()].filter((at) => whole[at] === 0xff && whole[at + 1] === 0xda)
    for (const at of scansAt.slice(1)) {
      expect(codeOf(() => headerOf(whole.subarray(0, at)))).toBe('media_unreadable')
      expect(codeOf(() => headerOf(concat(whole.subarray(0, at), whole.subarray(-2))))).toBe(
        'media_unreadable',
      )
    }
    expect(headerOf(whole.subarray(0, -2)).scans).toBe(5)
  })
})

it('are not followed by a valid orientation: EXIF after the first scan is ignored', () => {
  const block = concat(text('Exif\0\0'), exifBlock(6))
  const turned = progressiveJpeg({ width: 64, height: 48, scans: 3 }, jpegSegment(0xe1, block))
  expect(headerOf(turned).orientation).toBe(1)
})

describe('stripping metadata between scans', () => {
  const secret = 'GPS 48.2082 N'
  const size = { width: 64, height: 48, scans: 4 }

  it.each([
    ['comments', 0xfe],
    ['EXIF', 0xe1],
    ['makers’ notes', 0xed],
  ])('drops %s, and keeps the coded picture bit for bit', (_, marker) => {
    const noted = progressiveJpeg(size, jpegSegment(marker, text(secret)))
    expect(Buffer.from(noted).includes(secret)).toBe(true)
    expect(stripJpegMetadata(noted)).toEqual(progressiveJpeg(size))
  })

  it('removes a comment before the end of a picture with one scan', async () => {
    const jpeg = await testCodecs.encodeJpeg({ image: ramp(48, 32), quality: 90 })
    const noted = concat(
      jpeg.subarray(0, -2),
      jpegSegment(0xfe, text(secret)),
      jpeg.subarray(-2),
      text(`${secret} \u00ff`),
    )
    expect(stripJpegMetadata(noted)).toEqual(stripJpegMetadata(jpeg))
    expect((await decode(stripJpegMetadata(noted)!)).data).toEqual((await decode(jpeg)).data)
  })

  it('keeps colour markers in place', () => {
    const adobe = jpegSegment(0xee, concat(text('Adobe'), new Uint8Array(7)))
    expect(stripJpegMetadata(progressiveJpeg(size, adobe))).toEqual(progressiveJpeg(size, adobe))
  })

  it('keeps restart markers, which are part of the coded data', () => {
    const restart = Uint8Array.of(0xff, 0xd3, 0x12, 0xff, 0x00, 0x34)
    const marked = progressiveJpeg(size, restart)
    expect(stripJpegMetadata(marked)).toEqual(marked)
  })
})
