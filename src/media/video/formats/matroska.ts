/** Clips of Matroska and WebM (RFC 9559). */
import { asciiText } from '../../ascii.ts'
import type { HeaderCursor } from '../../header-cursor.ts'
import { firstOf } from '../../iso-boxes.ts'
import { type ClipFormat, type ClipHeader, orNull, toMegapixels } from './clip-format.ts'

const webm = { name: 'WebM', mimeType: 'video/webm', extension: 'webm' } as const
const other = { name: 'Matroska', mimeType: 'video/x-matroska', extension: 'mkv' } as const

const elements = {
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  track: 0xae,
  defaultDuration: 0x23e383,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
} as const

/** Bytes of a number that says its own length by its leading zeros (RFC 8794, section 4). */
const lengthOf = (cursor: HeaderCursor, offset: number): number => Math.clz32(cursor.uint8(offset)) - 23

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

/** The size of an element (section 6); one whose bits are all set is unknown, and the element reaches to the end. */
function readSize(cursor: HeaderCursor, offset: number, length: number): number {
  const size = readBytes(cursor, offset, length, cursor.uint8(offset) & (0xff >> length))
  return size >= 2 ** (7 * length) - 1 ? Number.POSITIVE_INFINITY : size
}

/** Contents of adjacent elements of one kind. */
function* findElements(parent: HeaderCursor, kind: number): Generator<HeaderCursor> {
  while (parent.left > 0) {
    const idBytes = lengthOf(parent, 0)
    if (idBytes > 4) return
    const sizeBytes = lengthOf(parent, idBytes)
    if (sizeBytes > 8) return
    const size = readSize(parent, idBytes, sizeBytes)
    const head = idBytes + sizeBytes
    // An identifier (section 5) has the bit that marks its length.
    if (readBytes(parent, 0, idBytes) === kind) yield parent.part(head, size)
    parent.skip(head + size)
  }
}

const findElement = (parent: HeaderCursor | null, kind: number): HeaderCursor | null =>
  parent && firstOf(findElements(parent.part(0), kind))

const readInteger = (content: HeaderCursor | null): number =>
  content && content.left > 0 ? readBytes(content, 0, Math.min(8, content.left)) : 0

function readFloat(content: HeaderCursor | null): number {
  if (content?.left === 4) return content.float32(0)
  return content?.left === 8 ? content.float64(0) : 0
}

function readMatroska(cursor: HeaderCursor): ClipHeader {
  const segment = findElement(cursor, elements.segment)
  const info = findElement(segment, elements.info)
  const tracks = findElement(segment, elements.tracks)
  const integer = (parent: HeaderCursor | null, kind: number) => readInteger(findElement(parent, kind))
  // The unit of times is a million nanoseconds if none is stated.
  const unitNs = integer(info, elements.timestampScale) || 1e6
  const durationS = orNull((readFloat(findElement(info, elements.duration)) * unitNs) / 1e9)
  const sizes = (tracks ? [...findElements(tracks, elements.track)] : []).map((track) => {
    const video = findElement(track, elements.video)
    return {
      megapixels: toMegapixels(integer(video, elements.width), integer(video, elements.height)),
      pictureNs: integer(track, elements.defaultDuration),
    }
  })
  const largest = sizes.toSorted((a, b) => b.megapixels - a.megapixels)[0]
  const isEven = durationS !== null && largest && largest.pictureNs > 0
  return {
    megapixels: orNull(largest?.megapixels ?? 0),
    durationS,
    pictures: isEven ? orNull((durationS * 1e9) / largest.pictureNs) : null,
  }
}

export const matroska: ClipFormat = {
  container: 'matroska',
  types: [webm, other],
  sniff(bytes) {
    if (asciiText(bytes, 0, 4) !== '\x1a\x45\xdf\xa3') return null
    // The header has its document type within the first 64 bytes.
    return asciiText(bytes, 0, 64).includes('webm') ? webm : other
  },
  readHeader: readMatroska,
}
