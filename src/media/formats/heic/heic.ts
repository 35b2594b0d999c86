import { isBoxCut } from '../../iso-boxes.ts'
import { sniffHeif } from '../heif/heif-brands.ts'
import { heifHeaderBytes, readHeifHeader } from '../heif/heif-header.ts'
import type { PictureFormat } from '../picture-format.ts'
import { heicCoding, openHeicDecoder } from './heic-codec.ts'

export const heic = {
  id: 'heic',
  name: 'HEIC',
  mimeType: 'image/heic',
  otherMimeTypes: ['image/heif', 'image/heic-sequence', 'image/heif-sequence'],
  isShownByFew: true,
  extensions: ['heic', 'heif', 'hif'],
  megapixelMs: 75,
  sniff: (bytes) => sniffHeif(bytes) === 'heic',
  readHeader: (cursor) => readHeifHeader(cursor, heicCoding),
  headerBytes: heifHeaderBytes,
  isCut: isBoxCut,
  lateModule: 'heicDecoder',
  advice: 'on an iPhone choose Settings, Camera, Formats, Most Compatible, or convert it to JPEG',
  decoder: ({ heicDecoder }) => heicDecoder && (async () => openHeicDecoder(await heicDecoder())),
} as const satisfies PictureFormat
