import type { PictureFormat } from '../picture-format.ts'
import { readJpegHeader } from './jpeg-header.ts'
import { openMozjpegDecoder } from './mozjpeg-codec.ts'

/** Our own decoder reads most files, and parts of them; this decoder is for the others. */
export const jpeg = {
  id: 'jpeg',
  name: 'JPEG',
  mimeType: 'image/jpeg',
  otherMimeTypes: ['image/jpg', 'image/pjpeg'],
  extensions: ['jpg', 'jpeg'],
  // As mozjpeg decodes it, which a damaged file needs.
  megapixelMs: 25,
  sniff: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff,
  readHeader(cursor) {
    const { components, ...facts } = readJpegHeader(cursor)
    return { ...facts, hasInks: components === 4 }
  },
  decoder:
    ({ jpegDecoder }) =>
    () =>
      openMozjpegDecoder(jpegDecoder),
} as const satisfies PictureFormat
