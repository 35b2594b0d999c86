import { asciiText } from '../../ascii.ts'
import type { ClipFormat } from './clip-format.ts'

const type = { name: 'WMV', mimeType: 'video/x-ms-wmv', extension: 'wmv' } as const

export const asf: ClipFormat = {
  container: 'asf',
  types: [type],
  sniff: (bytes) => (asciiText(bytes, 0, 4) === '\x30\x26\xb2\x75' ? type : null),
}
