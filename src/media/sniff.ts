/** Detects the kind of a file from its first bytes. Declared types and file names are ignored. */
import { asciiText } from './ascii.ts'

export type ImageFormat = 'jpeg' | 'png' | 'webp'

export type SniffedKind =
  | { kind: 'image'; format: ImageFormat }
  | { kind: 'video' | 'archive' | 'unsupported'; name: string }
  | { kind: 'unknown' }

export const imageMimeType: Record<ImageFormat, string> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
}

const startsWith = (bytes: Uint8Array, ...prefix: number[]): boolean =>
  prefix.every((byte, index) => bytes[index] === byte)

const pictureBrand = /^(heic|heix|hevc|heif|mif1|msf1|avif|avis)$/
/** Bytes within which the brands of a file are looked for. */
const brandsEnd = 40

/** A general brand may come before the one that tells AVIF. */
function sniffIsoBaseMedia(bytes: Uint8Array): SniffedKind {
  if (!pictureBrand.test(asciiText(bytes, 8, 12))) return { kind: 'video', name: 'MP4' }
  return { kind: 'unsupported', name: /avi[fs]/.test(asciiText(bytes, 8, brandsEnd)) ? 'AVIF' : 'HEIC' }
}

function sniffRiff(bytes: Uint8Array): SniffedKind {
  const form = asciiText(bytes, 8, 12)
  if (form === 'WEBP') return { kind: 'image', format: 'webp' }
  return form === 'AVI ' ? { kind: 'video', name: 'AVI' } : { kind: 'unknown' }
}

/** Detects the kind of a file. */
export function sniff(bytes: Uint8Array): SniffedKind {
  if (startsWith(bytes, 0xff, 0xd8, 0xff)) return { kind: 'image', format: 'jpeg' }
  if (startsWith(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a))
    return { kind: 'image', format: 'png' }
  const head = asciiText(bytes, 0, 4)
  if (head === 'RIFF') return sniffRiff(bytes)
  if (/^(ftyp|moov|mdat|free|skip|wide)$/.test(asciiText(bytes, 4, 8))) return sniffIsoBaseMedia(bytes)
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
