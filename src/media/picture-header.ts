import { AppError } from '../errors.ts'
import type { HeaderFacts } from './formats/picture-format.ts'
import { type PictureFormatId, pictureFormat } from './formats/registry.ts'
import type { HeaderCursor } from './header-cursor.ts'
import { damaged } from './incomplete.ts'

export interface PictureHeader extends Required<HeaderFacts> {
  format: PictureFormatId
}

/**
 * Reads a header; any failure of a reader means that the file is damaged.
 * @throws {AppError} `media_unreadable` (a `HeaderTooLong` among them), `media_unsupported`
 */
export function readPictureHeader(format: PictureFormatId, cursor: HeaderCursor): PictureHeader {
  try {
    const facts = pictureFormat(format).readHeader(cursor)
    return { format, scans: 1, coefficientBytes: 0, hasInks: false, ...facts }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw damaged('picture', cause)
  }
}
