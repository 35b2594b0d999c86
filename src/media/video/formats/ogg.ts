import { asciiText } from '../../ascii.ts'
import type { HeaderCursor } from '../../header-cursor.ts'
import { type ClipFormat, type ClipHeader, nothingDeclared } from './clip-format.ts'

const type = { name: 'Ogg', mimeType: 'video/ogg', extension: 'ogv' } as const

/** Bytes of the head of a page (RFC 3533, section 6), of which the last one counts the segments. */
const headBytes = 27

/** Pages tell neither sizes nor times. Empty ones are passed, as decoders search them for seconds. */
function readOgg(page: HeaderCursor): ClipHeader {
  while (page.left >= headBytes && page.uint8(headBytes - 1) === 0) page.skip(headBytes)
  return nothingDeclared
}

export const ogg: ClipFormat = {
  container: 'ogg',
  types: [type],
  sniff: (bytes) => (asciiText(bytes, 0, 4) === 'OggS' ? type : null),
  readHeader: readOgg,
}
