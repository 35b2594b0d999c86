/** Detects the kind of a file from its first bytes. Declared types and file names are ignored. */
import { asciiText } from './ascii.ts'

import { type RegisteredFormat, sniffPicture } from './formats/registry.ts'

export type SniffedKind =
  | { kind: 'image'; format: RegisteredFormat }
  | { kind: 'video' | 'archive' | 'unsupported'; name: string }
  | { kind: 'unknown' }

const startsWith = (bytes: Uint8Array, ...prefix: number[]): boolean =>
  prefix.every((byte, index) => bytes[index] === byte)

/** Detects the kind of a file. */
export function sniff(bytes: Uint8Array): SniffedKind {
  const format = sniffPicture(bytes)
  if (format) return { kind: 'image', format }
  const head = asciiText(bytes, 0, 4)
  if (head === 'RIFF' && asciiText(bytes, 8, 12) === 'AVI ') return { kind: 'video', name: 'AVI' }
  if (/^(ftyp|moov|mdat|free|skip|wide)$/.test(asciiText(bytes, 4, 8))) return { kind: 'video', name: 'MP4' }
  if (head === 'GIF8') return { kind: 'unsupported', name: 'GIF' }
  if (head === 'II*\0' || head === 'MM\0*') return { kind: 'unsupported', name: 'TIFF' }
  if (head.startsWith('BM')) return { kind: 'unsupported', name: 'BMP' }
  if (head === '%PDF') return { kind: 'unsupported', name: 'PDF' }
  if (head === 'Rar!') return { kind: 'unsupported', name: 'RAR' }
  if (/^P[1-7]\s/.test(head)) return { kind: 'unsupported', name: 'PNM' }
  if (head === 'PK\u0003\u0004' || head === 'PK\u0005\u0006') return { kind: 'archive', name: 'ZIP' }
  if (startsWith(bytes, 0x1a, 0x45, 0xdf, 0xa3)) return { kind: 'video', name: 'Matroska' }
  if (startsWith(bytes, 0x30, 0x26, 0xb2, 0x75)) return { kind: 'video', name: 'ASF' }
  if (head === 'OggS') return { kind: 'video', name: 'Ogg' }
  if (startsWith(bytes, 0, 0, 1, 0xba) || startsWith(bytes, 0, 0, 1, 0xb3))
    return { kind: 'video', name: 'MPEG' }
  return { kind: 'unknown' }
}
