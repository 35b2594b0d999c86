import { describe, expect, it } from 'vitest'
import { avif } from '../../../src/media/formats/avif/avif.ts'
import { heic } from '../../../src/media/formats/heic/heic.ts'
import { jpeg } from '../../../src/media/formats/jpeg/jpeg.ts'
import { png } from '../../../src/media/formats/png/png.ts'
import { webp } from '../../../src/media/formats/webp/webp.ts'
import { sniff } from '../../../src/media/sniff.ts'
import { pngSignature } from '../../fixtures/pictures.ts'

const bytes = (text: string) => Uint8Array.from([...text].map((letter) => letter.charCodeAt(0)))

describe('sniff', () => {
  it.each([
    ['JPEG', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0), { kind: 'image', format: jpeg }],
    ['PNG', pngSignature, { kind: 'image', format: png }],
    ['WebP', bytes('RIFF\0\0\0\0WEBPVP8 '), { kind: 'image', format: webp }],
    ['AVI', bytes('RIFF\0\0\0\0AVI LIST'), { kind: 'video', name: 'AVI' }],
    ['MP4', bytes('\0\0\0\x18ftypisom'), { kind: 'video', name: 'MP4' }],
    ['HEIC', bytes('\0\0\0\x18ftypheic'), { kind: 'image', format: heic }],
    ['HEIC', bytes('\0\0\0\x1cftypmif1\0\0\0\0mif1heic'), { kind: 'image', format: heic }],
    ['AVIF', bytes('\0\0\0\x1cftypavif\0\0\0\0avifmif1'), { kind: 'image', format: avif }],
    ['AVIF', bytes('\0\0\0\x1cftypmif1\0\0\0\0mif1avif'), { kind: 'image', format: avif }],
    ['GIF', bytes('GIF89a'), { kind: 'unsupported', name: 'GIF' }],
    ['TIFF', bytes('II*\0'), { kind: 'unsupported', name: 'TIFF' }],
    ['ZIP', bytes('PK\x03\x04'), { kind: 'archive', name: 'ZIP' }],
    ['text', bytes('hello there'), { kind: 'unknown' }],
    ['nothing', new Uint8Array(), { kind: 'unknown' }],
  ])('knows %s by its bytes', (_, input, expected) => {
    expect(sniff(input)).toEqual(expected)
  })
})
