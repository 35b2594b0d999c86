import { isBoxCut } from '../../iso-boxes.ts'
import { sniffHeif } from '../heif/heif-brands.ts'
import { heifHeaderBytes, readHeifHeader } from '../heif/heif-header.ts'
import type { PictureFormat } from '../picture-format.ts'
import { avifCoding, openAvifDecoder } from './avif-codec.ts'

export const avif = {
  id: 'avif',
  name: 'AVIF',
  mimeType: 'image/avif',
  otherMimeTypes: ['image/avif-sequence'],
  extensions: ['avif'],
  megapixelMs: 250,
  sniff: (bytes) => sniffHeif(bytes) === 'avif',
  readHeader: (cursor) => readHeifHeader(cursor, avifCoding),
  headerBytes: heifHeaderBytes,
  isCut: isBoxCut,
  lateModule: 'avifDecoder',
  advice: 'convert it to JPEG',
  decoder: ({ avifDecoder }) => avifDecoder && (async () => openAvifDecoder(await avifDecoder())),
} as const satisfies PictureFormat
