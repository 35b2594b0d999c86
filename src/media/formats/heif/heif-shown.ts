/** What a file of the HEIF family shows: a coded item, or the tiles that make a picture. */
import { AppError } from '../../../errors.ts'
import { fourLetters, type HeaderCursor } from '../../header-cursor.ts'
import { damaged, incomplete } from '../../incomplete.ts'
import { findBox, isBoxCut } from '../../iso-boxes.ts'
import type { HeifCoding } from './heif-coding.ts'
import { readParts, readPrimary, readTypes } from './heif-items.ts'

/** Maximum number of tiles. Phones write 48 for 12 megapixels, and 192 for 48. */
const tilesMax = 1000

const grid = fourLetters('grid')

export interface ShownItems {
  meta: HeaderCursor
  primary: number
  isGrid: boolean
  /** Number of coded pictures that are put together. */
  places: number
  /** The coded items, each once. */
  coded: readonly number[]
}

/** The refusal of a header that does not say what to decode. @param cursor at the beginning of the file */
export const unreadable = (cursor: HeaderCursor, name: string): AppError =>
  isBoxCut(cursor.part(0)) ? incomplete(name) : damaged(name)

/** @throws {AppError} `media_unreadable`, `media_unsupported` for other codings */
export function readShown(cursor: HeaderCursor, { name, itemType }: HeifCoding): ShownItems {
  const meta = findBox(cursor, 'meta')?.part(4)
  const primary = meta && readPrimary(meta)
  if (!meta || !primary) throw unreadable(cursor, name)
  const isGrid = readTypes(meta, new Set([primary])).get(primary) === grid
  const places = isGrid ? readParts(meta, primary) : [primary]
  if (places.length > tilesMax)
    throw new AppError(
      'media_unreadable',
      `The ${name} has ${places.length} tiles: at most ${tilesMax} are read`,
      { reason: 'too_costly' },
    )
  const coded = [...new Set(places)]
  const types = readTypes(meta, new Set(coded))
  if (coded.some((item) => types.get(item) !== fourLetters(itemType)))
    throw new AppError('media_unsupported', `${name} of this coding cannot be read: convert it to JPEG`)
  return { meta, primary, isGrid, places: places.length, coded }
}
