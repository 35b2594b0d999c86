/** MPEG streams. Elementary video streams have no times and are not read. */
import { asciiText } from '../../ascii.ts'
import type { ClipFormat } from './clip-format.ts'

const program = { name: 'MPEG', mimeType: 'video/mpeg', extension: 'mpg' } as const
const transport = { name: 'MPEG', mimeType: 'video/mp2t', extension: 'ts' } as const

/** A transport stream repeats its sync byte in every packet; some recorders prepend four bytes to each. */
function isTransportStream(bytes: Uint8Array): boolean {
  const isEvery = (from: number, step: number) =>
    [0, 1, 2].every((packet) => bytes[from + packet * step] === 0x47)
  return isEvery(0, 188) || isEvery(4, 192)
}

export const transportStream: ClipFormat = {
  container: 'mpegts',
  types: [transport],
  sniff: (bytes) => (isTransportStream(bytes) ? transport : null),
}

/** It starts with a pack header. */
export const programStream: ClipFormat = {
  container: 'mpeg',
  types: [program],
  sniff: (bytes) => (asciiText(bytes, 0, 4) === '\0\0\x01\xba' ? program : null),
}
