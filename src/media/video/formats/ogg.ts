import { asciiText } from '../../ascii.ts'
import type { HeaderCursor } from '../../header-cursor.ts'
import { type ClipFormat, type ClipHeader, nothingDeclared } from './clip-format.ts'

const type = { name: 'Ogg', mimeType: 'video/ogg', extension: 'ogv' } as const

/** Bytes of the head of a page (RFC 3533, section 6), of which the last one counts the lengths of segments that follow. */
const headBytes = 27

function pageBytes(page: HeaderCursor): number {
  const segments = page.uint8(headBytes - 1)
  let bytes = headBytes + segments
  for (let i = 0; i < segments; i++) bytes += page.uint8(headBytes + i)
  return bytes
}

/** Pages declare nothing. They are passed for their number: decoders search some hundred thousand for seconds. */
function readOgg(page: HeaderCursor): ClipHeader {
  while (page.left >= headBytes) page.skip(pageBytes(page))
  return nothingDeclared
}

export const ogg: ClipFormat = {
  container: 'ogg',
  types: [type],
  sniff: (bytes) => (asciiText(bytes, 0, 4) === 'OggS' ? type : null),
  readHeader: readOgg,
}
