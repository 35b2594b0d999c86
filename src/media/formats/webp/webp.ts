import { asciiText } from '../../ascii.ts'
import type { PictureFormat } from '../picture-format.ts'
import { openWebpDecoder } from './webp-codec.ts'
import { isWebpCut, readWebpHeader } from './webp-header.ts'

export const webp = {
  id: 'webp',
  name: 'WebP',
  mimeType: 'image/webp',
  extensions: ['webp'],
  megapixelMs: 110,
  sniff: (bytes) => asciiText(bytes, 0, 4) === 'RIFF' && asciiText(bytes, 8, 12) === 'WEBP',
  readHeader: readWebpHeader,
  isCut: isWebpCut,
  decoder:
    ({ webpDecoder }) =>
    () =>
      openWebpDecoder(webpDecoder),
} as const satisfies PictureFormat
