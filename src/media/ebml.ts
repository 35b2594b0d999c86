/** Elements of EBML (RFC 8794), of which Matroska and WebM files are made (RFC 9559). */
import type { HeaderCursor } from './header-cursor.ts'
import { firstOf } from './iso-boxes.ts'

export const ebmlIds = {
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  trackScale: 0x23314f,
  codec: 0x86,
  codecPrivate: 0x63a2,
  encodings: 0x6d80,
  defaultDuration: 0x23e383,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
  projection: 0x7670,
  cluster: 0x1f43b675,
  clusterTime: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  blockDuration: 0x9b,
} as const

export interface Element {
  id: number
  content: HeaderCursor
  /** Where the content begins, as `at` of its parent. */
  at: number
}

/** Bytes of a number that says its own length by its leading zeros (section 4). */
export const lengthOf = (cursor: HeaderCursor, offset: number): number =>
  Math.clz32(cursor.uint8(offset)) - 23

/** An integer of some bytes. @param first its first byte */
function readBytes(
  cursor: HeaderCursor,
  offset: number,
  length: number,
  first = cursor.uint8(offset),
): number {
  let value = first
  for (let i = 1; i < length; i++) value = value * 256 + cursor.uint8(offset + i)
  return value
}

/** A number without the bit that marks its length; one whose bits are all set is unknown: an element reaches to the end (section 6). */
export function readNumber(cursor: HeaderCursor, offset: number, length: number): number {
  const number = readBytes(cursor, offset, length, cursor.uint8(offset) & (0xff >> length))
  return number >= 2 ** (7 * length) - 1 ? Number.POSITIVE_INFINITY : number
}

const none: ReadonlySet<number> = new Set()

/**
 * Adjacent elements, up to the end or to a damaged one, where the cursor is left.
 * @param opened those whose children follow as if they were adjacent to them: then it does not matter whether their size is known
 */
export function* readElements(parent: HeaderCursor, opened = none): Generator<Element> {
  while (parent.left > 0) {
    const idBytes = lengthOf(parent, 0)
    if (idBytes > 4) return
    const sizeBytes = lengthOf(parent, idBytes)
    if (sizeBytes > 8) return
    // An identifier (section 5) has the bit that marks its length.
    const id = readBytes(parent, 0, idBytes)
    const size = readNumber(parent, idBytes, sizeBytes)
    const head = idBytes + sizeBytes
    yield { id, content: parent.part(head, size), at: parent.at + head }
    parent.skip(opened.has(id) ? head : head + size)
  }
}

/** Contents of adjacent elements of one kind. */
export function* findElements(parent: HeaderCursor, kind: number): Generator<HeaderCursor> {
  for (const { id, content } of readElements(parent)) if (id === kind) yield content
}

export const findElement = (parent: HeaderCursor | null, kind: number): HeaderCursor | null =>
  parent && firstOf(findElements(parent.part(0), kind))

export const readInteger = (content: HeaderCursor | null): number =>
  content && content.left > 0 ? readBytes(content, 0, Math.min(8, content.left)) : 0

export function readFloat(content: HeaderCursor | null): number {
  if (content?.left === 4) return content.float32(0)
  return content?.left === 8 ? content.float64(0) : 0
}
