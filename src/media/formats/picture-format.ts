import type { Codec } from '../codec.ts'
import type { CodecModules, LateModules } from '../codec-modules.ts'
import type { Orientation } from '../exif.ts'
import type { HeaderCursor } from '../header-cursor.ts'
import type { RgbaImage, Size } from '../rgba-image.ts'

/** What a header says of its picture; the size is the stored one, before the orientation is applied. */
export interface HeaderFacts extends Size {
  orientation: Orientation
  /** Number of scans in the coded data; one if absent. */
  scans?: number
  /** Bytes of the coefficients that the decoder of a picture of several scans keeps; none if absent. */
  coefficientBytes?: number
  /** Whether colours are stored as the inks of a print, which not every viewer shows. */
  hasInks?: boolean
}

export type PictureDecoder = Codec<Uint8Array, RgbaImage>

/** All that is known of a format of pictures. A format is a folder here and a line of `registry.ts`. */
export interface PictureFormat {
  readonly id: string
  /** As texts write it. */
  readonly name: string
  readonly mimeType: `image/${string}`
  /** What callers also declare. */
  readonly otherMimeTypes?: readonly string[]
  /** Whether most browsers do not show it. */
  readonly isShownByFew?: true
  /** Extensions of file names; the first one is that of stored files. */
  readonly extensions: readonly [string, ...string[]]
  /** Decoding and shrinking a megapixel, measured with 40 megapixels on one core. */
  readonly megapixelMs: number
  /** Whether a file that begins with these bytes has this format. */
  sniff(bytes: Uint8Array): boolean
  /** @throws {AppError} `media_unreadable`, `media_unsupported`; whatever else it throws means a damaged header */
  readHeader(cursor: HeaderCursor): HeaderFacts
  /**
   * Bytes that hold its header, where it takes many and the coded data may be much smaller than their picture; absent where the beginning
   * holds it, or the size of the file says what decoding costs.
   */
  readonly headerBytes?: number
  /** Whether a file that cannot be decoded was cut off; absent where the decoder says it. */
  isCut?(cursor: HeaderCursor): boolean
  /** The module of its decoder, if that may not be there. */
  readonly lateModule?: keyof LateModules
  /** What to do where no decoder reads it; absent for formats that are read everywhere. */
  readonly advice?: string
  /** What opens the decoder of whole pictures; `null` if its module is not there. */
  decoder(modules: CodecModules): (() => Promise<PictureDecoder>) | null
}
