import { asciiText } from '../../ascii.ts'
import { fourLetters, type HeaderCursor } from '../../header-cursor.ts'
import { type ClipFormat, type ClipHeader, nothingDeclared, orNull, toMegapixels } from './clip-format.ts'

const type = { name: 'AVI', mimeType: 'video/x-msvideo', extension: 'avi' } as const

/** The main header `avih` follows the list `hdrl`, which comes first. */
function readAvi(cursor: HeaderCursor): ClipHeader {
  if (cursor.left < 72 || cursor.uint32(24) !== fourLetters('avih')) return nothingDeclared
  const pictures = cursor.uint32(48, true)
  return {
    megapixels: orNull(toMegapixels(cursor.uint32(64, true), cursor.uint32(68, true))),
    durationS: orNull((cursor.uint32(32, true) * pictures) / 1e6),
    pictures: orNull(pictures),
  }
}

export const avi: ClipFormat = {
  container: 'avi',
  types: [type],
  sniff: (bytes) => (asciiText(bytes, 0, 4) === 'RIFF' && asciiText(bytes, 8, 12) === 'AVI ' ? type : null),
  readHeader: readAvi,
}
