/** Where the coded data of a file of the HEIF family are (ISO/IEC 14496-12, 8.11.3). */
import { AppError } from '../../../errors.ts'
import type { HeaderCursor } from '../../header-cursor.ts'
import { findBox } from '../../iso-boxes.ts'
import type { HeifCoding } from './heif-coding.ts'
import { readShown } from './heif-shown.ts'

interface Place {
  offset: number
  length: number
}

/** A number of 0 to 8 bytes; goes behind it. */
function take(cursor: HeaderCursor, length: number): number {
  let value = 0
  for (let i = 0; i < length; i++) value = value * 256 + cursor.uint8(i)
  cursor.skip(length)
  return value
}

/** Places of some items, as far as they are in one piece in the file itself. */
function readPlaces(meta: HeaderCursor, wanted: ReadonlySet<number>): Map<number, Place> {
  const places = new Map<number, Place>()
  const list = findBox(meta, 'iloc')
  if (!list) return places
  const version = list.uint8(0)
  const [sizes, otherSizes] = [list.uint8(4), list.uint8(5)]
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 4, sizes & 15, otherSizes >> 4]
  const indexBytes = version > 0 ? otherSizes & 15 : 0
  const idBytes = version > 1 ? 4 : 2
  list.skip(6)
  for (let left = take(list, idBytes); left > 0; left--) {
    const item = take(list, idBytes)
    const method = version > 0 ? take(list, 2) & 15 : 0
    const isElsewhere = take(list, 2) > 0
    const base = take(list, baseBytes)
    const extents = take(list, 2)
    if (method > 0 || isElsewhere || extents !== 1) {
      list.skip(extents * (indexBytes + offsetBytes + lengthBytes))
      continue
    }
    list.skip(indexBytes)
    const place = { offset: base + take(list, offsetBytes), length: take(list, lengthBytes) }
    if (wanted.has(item)) places.set(item, place)
  }
  return places
}

/**
 * The coded data of what a file shows, by item.
 * @param cursor at the beginning of the file
 * @throws {AppError} as `readShown`; `media_unsupported` for data in several pieces
 */
export function readCodedData(cursor: HeaderCursor, coding: HeifCoding): Uint8Array[] {
  const { meta, coded } = readShown(cursor, coding)
  const places = readPlaces(meta, new Set(coded))
  return coded.map((item) => {
    const place = places.get(item)
    if (place) return cursor.bytes(place.offset, place.length)
    throw new AppError(
      'media_unsupported',
      `${coding.name} with data in several pieces cannot be read: convert it to JPEG`,
    )
  })
}
