/** Detects the container of a clip from its first bytes. Declared types and file names are ignored. */

import { AppError } from '../../errors.ts'
import { type ClipType, clipKinds, refuseFile } from '../accepted-media.ts'
import { asciiText } from '../ascii.ts'
import { sniff } from '../sniff.ts'

/** Supported containers, by the names of their demuxers. */
export type VideoContainer = 'mov' | 'matroska' | 'avi' | 'ogg' | 'mpeg' | 'mpegts' | 'asf'

export interface SniffedVideo {
  container: VideoContainer
  /** Detected from the bytes. */
  mimeType: ClipType
}

/** A transport stream repeats its sync byte in every packet; some recorders prepend four bytes to each. */
function isTransportStream(bytes: Uint8Array): boolean {
  const isEvery = (from: number, step: number) =>
    [0, 1, 2].every((packet) => bytes[from + packet * step] === 0x47)
  return isEvery(0, 188) || isEvery(4, 192)
}

/** The brand determines the MIME type; the demuxer is the same for all. */
function sniffIsoBaseMedia(bytes: Uint8Array): SniffedVideo {
  const brand = asciiText(bytes, 4, 8) === 'ftyp' ? asciiText(bytes, 8, 12) : 'qt  '
  const mimeType = /^3g[2p]/.test(brand) ? 'video/3gpp' : brand === 'qt  ' ? 'video/quicktime' : 'video/mp4'
  return { container: 'mov', mimeType }
}

const byName: Record<string, (bytes: Uint8Array) => SniffedVideo> = {
  MP4: sniffIsoBaseMedia,
  AVI: () => ({ container: 'avi', mimeType: 'video/x-msvideo' }),
  // The header has its document type within the first 64 bytes.
  Matroska: (bytes) => ({
    container: 'matroska',
    mimeType: asciiText(bytes, 0, 64).includes('webm') ? 'video/webm' : 'video/x-matroska',
  }),
  Ogg: () => ({ container: 'ogg', mimeType: 'video/ogg' }),
  ASF: () => ({ container: 'asf', mimeType: 'video/x-ms-wmv' }),
}

/** A program stream starts with a pack header. Elementary MPEG video streams have no times and are not supported. */
const isProgramStream = (bytes: Uint8Array): boolean => asciiText(bytes, 0, 4) === '\0\0\u0001\u00ba'

/** Detects the container of a clip; `null` for anything that is no supported clip. */
export function sniffVideo(bytes: Uint8Array): SniffedVideo | null {
  if (isTransportStream(bytes)) return { container: 'mpegts', mimeType: 'video/mp2t' }
  if (isProgramStream(bytes)) return { container: 'mpeg', mimeType: 'video/mpeg' }
  const kind = sniff(bytes)
  return kind.kind === 'video' ? (byName[kind.name]?.(bytes) ?? null) : null
}

/**
 * The container of a clip.
 * @throws {AppError} `media_unsupported` for anything else
 */
export function requireVideo(bytes: Uint8Array): SniffedVideo {
  const sniffed = sniffVideo(bytes)
  if (sniffed !== null) return sniffed
  const kind = sniff(bytes)
  if (kind.kind !== 'video') throw refuseFile(bytes, clipKinds)
  const message = `${kind.name} of this kind cannot be read: send ${clipKinds}`
  throw new AppError('media_unsupported', message, { details: { expected: clipKinds } })
}
