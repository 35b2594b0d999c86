import { zipSync } from 'fflate'
import { describe, expect, it, vi } from 'vitest'
import { inspectImage } from '../../../src/media/decode-image.ts'
import { HeaderBudget } from '../../../src/media/header-cursor.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import { headeredMp4 } from '../../fixtures/clip-headers.ts'
import { endlessHeaders } from '../../fixtures/endless-headers.ts'
import { pngSignature } from '../../fixtures/pictures.ts'
import { portrait } from '../../fixtures/portraits.ts'

const bytes = (text: string) => Uint8Array.from([...text].map((letter) => letter.charCodeAt(0)))

/** A packet of a transport stream as some recorders write it, after four bytes that may be those of a picture. */
function packetsAfter(prefix: readonly number[]): Uint8Array {
  return new Uint8Array(192 * 4).map((_, i) => (i % 192 === 4 ? 0x47 : (prefix[i] ?? 0)))
}

describe('an opened medium', () => {
  it.each([
    ['JPEG', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0), 'picture', 'jpeg'],
    ['PNG', pngSignature, 'picture', 'png'],
    ['WebP', bytes('RIFF\0\0\0\0WEBPVP8 '), 'picture', 'webp'],
    ['HEIC', bytes('\0\0\0\x18ftypheic'), 'picture', 'heic'],
    ['HEIC', bytes('\0\0\0\x1cftypmif1\0\0\0\0mif1heic'), 'picture', 'heic'],
    ['AVIF', bytes('\0\0\0\x1cftypavif\0\0\0\0avifmif1'), 'picture', 'avif'],
    ['AVIF', bytes('\0\0\0\x1cftypmif1\0\0\0\0mif1avif'), 'picture', 'avif'],
    ['MP4', bytes('\0\0\0\x18ftypisom'), 'clip', { container: 'mov', mimeType: 'video/mp4' }],
    [
      'a transport stream that begins like a picture',
      packetsAfter([0xff, 0xd8, 0xff]),
      'clip',
      { container: 'mpegts', mimeType: 'video/mp2t' },
    ],
    ['ZIP', bytes('PK\x03\x04'), 'archive', 'application/zip'],
    ['GIF', bytes('GIF89a'), 'other', 'GIF'],
    ['TIFF', bytes('II*\0'), 'other', 'TIFF'],
    ['text', bytes('hello there'), 'other', null],
    ['nothing', new Uint8Array(), 'other', null],
  ])('is known by its bytes: %s', (_, input, kind, format) => {
    expect(openMedium(input)).toMatchObject({ kind, format, bytes: input })
  })

  it('is plain data, which threads exchange', async () => {
    const photo = await portrait('redhead')
    const clip = headeredMp4({ width: 640, height: 480, seconds: 1, pictures: 30 })
    for (const file of [photo, clip, zipSync({ 'a.jpg': photo, 'b.jpg': photo })]) {
      const medium = openMedium(file)
      expect(medium).toMatchObject({ header: expect.any(Object) })
      expect(structuredClone(medium)).toEqual(medium)
    }
  })

  it('has its header read once', async () => {
    const medium = openMedium(await portrait('redhead'))
    const spend = vi.spyOn(HeaderBudget.prototype, 'spend')
    expect(inspectImage(medium, { pixelsMax: 4e7 })).toMatchObject({ format: 'jpeg', orientation: 1 })
    expect(spend).not.toHaveBeenCalled()
    spend.mockRestore()
  })

  it('says why its header was not read', () => {
    expect(openMedium(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0))).toMatchObject({ header: 'damaged' })
    expect(openMedium(endlessHeaders.png['empty texts']!())).toMatchObject({ header: 'long' })
  })
})
