import type { HeaderCursor } from '../../header-cursor.ts'

/** Containers of clips, by the names of their demuxers. */
export type VideoContainer = 'mov' | 'matroska' | 'avi' | 'ogg' | 'mpeg' | 'mpegts' | 'asf'

/**
 * What a header declares, for estimates before decoding; decoders measure it themselves. `null`: it does not say, or is not read
 * here.
 */
export interface ClipHeader {
  /** Width × height of the largest track, in millions. */
  megapixels: number | null
  durationS: number | null
  /** Number of pictures. */
  pictures: number | null
}

export const nothingDeclared: ClipHeader = { megapixels: null, durationS: null, pictures: null }

/** Headers leave a value out by writing 0. */
export const orNull = (value: number): number | null => (Number.isFinite(value) && value > 0 ? value : null)

export const toMegapixels = (width: number, height: number): number => (width * height) / 1e6

/** A type of files that a container has. */
export interface ClipType {
  /** As texts write it. */
  readonly name: string
  readonly mimeType: `video/${string}`
  /** Of the names of stored files. */
  readonly extension: string
}

/** All that is known of a container of clips. A container is a file here and a line of `registry.ts`. */
export interface ClipFormat {
  readonly container: VideoContainer
  readonly types: readonly ClipType[]
  /** The type of a file that begins with these bytes; `null` for another container. */
  sniff(bytes: Uint8Array): ClipType | null
  /** Whatever it throws means that nothing is declared. */
  readHeader?(cursor: HeaderCursor): ClipHeader
}
