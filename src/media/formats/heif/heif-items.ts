/** The items of a HEIF file: what they are, what they consist of, and what is said of them (ISO/IEC 14496-12, 8.11). */
import { fourLetters, type HeaderCursor } from '../../header-cursor.ts'
import { type Box, findBox, findBoxes, readBoxes } from '../../iso-boxes.ts'

/** Bytes of version and flags. */
const versionBytes = 4

/** A number of two or four bytes. */
const readId = (cursor: HeaderCursor, offset: number, isLong: boolean): number =>
  isLong ? cursor.uint32(offset) : cursor.uint16(offset)

/** The item that the file shows. */
export function readPrimary(meta: HeaderCursor): number | null {
  const box = findBox(meta, 'pitm')
  return box && readId(box, versionBytes, box.uint8(0) > 0)
}

/** The types of some items, as `fourLetters` gives them. */
export function readTypes(meta: HeaderCursor, wanted: ReadonlySet<number>): Map<number, number> {
  const types = new Map<number, number>()
  const list = findBox(meta, 'iinf')
  if (!list) return types
  for (const entry of findBoxes(list.part(list.uint8(0) > 0 ? 8 : 6), 'infe')) {
    const version = entry.uint8(0)
    if (version < 2) continue
    const id = readId(entry, versionBytes, version > 2)
    if (wanted.has(id)) types.set(id, entry.uint32(version > 2 ? 10 : 8))
  }
  return types
}

/** The items that an item is made of, one for each place. */
export function readParts(meta: HeaderCursor, item: number): number[] {
  const list = findBox(meta, 'iref')
  if (!list) return []
  const isLong = list.uint8(0) > 0
  const idBytes = isLong ? 4 : 2
  for (const reference of findBoxes(list.part(versionBytes), 'dimg')) {
    if (readId(reference, 0, isLong) !== item) continue
    const count = reference.uint16(idBytes)
    reference.skip(idBytes + 2)
    return Array.from({ length: count }, () => {
      const part = readId(reference, 0, isLong)
      reference.skip(idBytes)
      return part
    })
  }
  return []
}

/** Numbers of properties by item, in the order in which they apply. */
function readNumbers(properties: HeaderCursor, wanted: ReadonlySet<number>): Map<number, number[]> {
  const numbers = new Map<number, number[]>()
  for (const list of findBoxes(properties, 'ipma')) {
    const [hasLongIds, isWide] = [list.uint8(0) > 0, (list.uint8(3) & 1) > 0]
    const count = list.uint32(versionBytes)
    list.skip(versionBytes + 4)
    for (let i = 0; i < count; i++) {
      const item = readId(list, 0, hasLongIds)
      list.skip(hasLongIds ? 4 : 2)
      const length = list.uint8(0)
      list.skip(1)
      const own = Array.from({ length }, () => {
        const number = isWide ? list.uint16(0) & 0x7fff : list.uint8(0) & 0x7f
        list.skip(isWide ? 2 : 1)
        return number
      })
      if (wanted.has(item)) numbers.set(item, own)
    }
  }
  return numbers
}

/** Numbers of properties have at most 15 bits; files may hold more of them. */
const propertiesMax = 0x7fff

/** Properties by their number: those that are wanted. */
function readNumbered(container: HeaderCursor, wanted: ReadonlySet<number>): Map<number, Box> {
  const boxes = new Map<number, Box>()
  let number = 0
  for (const box of readBoxes(container)) {
    number++
    if (wanted.has(number)) boxes.set(number, box)
    if (number === propertiesMax) break
  }
  return boxes
}

export class ItemProperties {
  readonly #boxes: ReadonlyMap<number, Box>
  readonly #numbers: ReadonlyMap<number, readonly number[]>

  constructor(meta: HeaderCursor, wanted: ReadonlySet<number>) {
    const properties = findBox(meta, 'iprp')
    const container = properties && findBox(properties, 'ipco')
    this.#numbers = properties ? readNumbers(properties, wanted) : new Map()
    const named = new Set([...this.#numbers.values()].flat())
    this.#boxes = container ? readNumbered(container, named) : new Map()
  }

  /** All of an item, in the order in which they apply. */
  of(item: number): Box[] {
    return (this.#numbers.get(item) ?? []).flatMap((number) => this.#boxes.get(number) ?? [])
  }

  /** One of an item. */
  find(item: number, kind: string): HeaderCursor | null {
    const name = fourLetters(kind)
    return this.of(item).find((box) => box.name === name)?.content ?? null
  }
}
