/** The containers of clips, in the order in which texts name them. */
import { type HeaderBudget, HeaderCursor, HeaderTooLong } from '../../header-cursor.ts'
import { asf } from './asf.ts'
import { avi } from './avi.ts'
import { type ClipFormat, type ClipHeader, nothingDeclared, type VideoContainer } from './clip-format.ts'
import { matroska } from './matroska.ts'
import { mov } from './mov.ts'
import { programStream, transportStream } from './mpeg.ts'
import { ogg } from './ogg.ts'

export const clipFormats: readonly ClipFormat[] = [
  mov,
  matroska,
  avi,
  programStream,
  transportStream,
  ogg,
  asf,
]

export const clipTypes = clipFormats.flatMap(({ types }) => types)

/** Their packets tell more than a few first bytes do, which may be those of a picture. */
const streams = [transportStream, programStream]

/** A container and type that a decoder reads. */
export interface SniffedClip {
  container: VideoContainer
  mimeType: string
}

function sniffAmong(formats: readonly ClipFormat[], bytes: Uint8Array): SniffedClip | null {
  for (const { container, sniff } of formats) {
    const type = sniff(bytes)
    if (type) return { container, mimeType: type.mimeType }
  }
  return null
}

export const sniffStream = (bytes: Uint8Array): SniffedClip | null => sniffAmong(streams, bytes)

/** The container of a clip, by its first bytes; `null` for anything else. */
export const sniffClip = (bytes: Uint8Array): SniffedClip | null =>
  sniffStream(bytes) ?? sniffAmong(clipFormats, bytes)

/**
 * Reads what the header of a clip declares. Damaged headers declare nothing.
 * @throws {HeaderTooLong}
 */
export function readClipHeader(
  { container }: Pick<SniffedClip, 'container'>,
  bytes: Uint8Array,
  budget: HeaderBudget,
): ClipHeader {
  const format = clipFormats.find((one) => one.container === container)
  try {
    return format?.readHeader?.(new HeaderCursor(bytes, budget)) ?? nothingDeclared
  } catch (error) {
    if (error instanceof HeaderTooLong) throw error
    return nothingDeclared
  }
}
