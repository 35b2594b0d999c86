import { asciiText } from '../../ascii.ts'
import type { ClipFormat } from './clip-format.ts'

const type = { name: 'Ogg', mimeType: 'video/ogg', extension: 'ogv' } as const

export const ogg: ClipFormat = {
  container: 'ogg',
  types: [type],
  sniff: (bytes) => (asciiText(bytes, 0, 4) === 'OggS' ? type : null),
}
