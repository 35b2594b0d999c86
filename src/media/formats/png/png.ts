import { asciiText } from '../../ascii.ts'
import type { PictureFormat } from '../picture-format.ts'
import { openPngDecoder } from './png-codec.ts'
import { isPngCut, readPngHeader } from './png-header.ts'

export const png = {
  id: 'png',
  name: 'PNG',
  mimeType: 'image/png',
  extensions: ['png'],
  megapixelMs: 160,
  sniff: (bytes) => asciiText(bytes, 0, 8) === '\x89PNG\r\n\x1a\n',
  readHeader: readPngHeader,
  isCut: isPngCut,
  decoder:
    ({ pngDecoder }) =>
    () =>
      openPngDecoder(pngDecoder),
} as const satisfies PictureFormat
