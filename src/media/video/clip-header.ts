/**
 * Size, duration and number of pictures of a clip as its header declares them, for estimates before decoding: ISO/IEC 14496-12 (MP4, MOV), RFC 9559
 * (Matroska, WebM) and AVI. Decoders measure them themselves.
 */
import { fourLetters, type HeaderBudget, HeaderCursor, HeaderTooLong } from '../header-cursor.ts'
import { findBox, findBoxes, firstOf } from '../iso-boxes.ts'
import { sniffVideo, type VideoContainer } from './sniff-video.ts'

/** `null`: the header does not say, or is not read here. */
export interface ClipHeader {
  /** Width × height of the largest track, in millions. */
  megapixels: number | null
  durationS: number | null
  /** Number of pictures. */
  pictures: number | null
}

const nothing: ClipHeader = { megapixels: null, durationS: null, pictures: null }

/** Headers leave a value out by writing 0. */
const orNull = (value: number): number | null => (Number.isFinite(value) && value > 0 ? value : null)

const toMegapixels = (width: number, height: number): number => (width * height) / 1e6

function readTrack(track: HeaderCursor): { megapixels: number; pictures: number } {
  const head = findBox(track, 'tkhd')
  const sizes = findBox(track, 'mdia', 'minf', 'stbl', 'stsz')
  // Width and height are the last fields of the box, in 16.16 fixed point.
  const megapixels =
    head && head.left >= 84 ? toMegapixels(head.uint16(head.left - 8), head.uint16(head.left - 4)) : 0
  return { megapixels, pictures: sizes && sizes.left >= 12 ? sizes.uint32(8) : 0 }
}

const unknownDurations: ReadonlySet<number> = new Set([0xffff_ffff, 2 ** 64])

/** @param head content of `mvhd` */
function readMovieDuration(head: HeaderCursor): number {
  const isLong = head.uint8(0) === 1
  const [unit, duration] = isLong ? [head.uint32(20), head.uint64(24)] : [head.uint32(12), head.uint32(16)]
  return unknownDurations.has(duration) ? 0 : duration / unit
}

function readIsoBaseMedia(cursor: HeaderCursor): ClipHeader {
  const movie = findBox(cursor, 'moov')
  if (!movie) return nothing
  const head = findBox(movie, 'mvhd')
  const tracks = [...findBoxes(movie.part(0), 'trak')].map(readTrack)
  const largest = tracks.toSorted((a, b) => b.megapixels - a.megapixels)[0]
  return {
    megapixels: orNull(largest?.megapixels ?? 0),
    durationS: orNull(head && head.left >= 32 ? readMovieDuration(head) : 0),
    pictures: orNull(largest?.pictures ?? 0),
  }
}

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

/** The main header `avih` follows the list `hdrl`, which comes first. */
function readAvi(cursor: HeaderCursor): ClipHeader {
  if (cursor.left < 72 || cursor.uint32(24) !== fourLetters('avih')) return nothing
  const pictures = cursor.uint32(48, true)
  return {
    megapixels: orNull(toMegapixels(cursor.uint32(64, true), cursor.uint32(68, true))),
    durationS: orNull((cursor.uint32(32, true) * pictures) / 1e6),
    pictures: orNull(pictures),
  }
}

const readers: Partial<Record<VideoContainer, (cursor: HeaderCursor) => ClipHeader>> = {
  mov: readIsoBaseMedia,
  matroska: readMatroska,
  avi: readAvi,
}

/**
 * Reads what the header of a clip declares. Damaged headers declare nothing.
 * @throws {HeaderTooLong}
 */
export function readClipHeader(bytes: Uint8Array, budget: HeaderBudget): ClipHeader {
  const container = sniffVideo(bytes)?.container
  try {
    return (container && readers[container]?.(new HeaderCursor(bytes, budget))) ?? nothing
  } catch (error) {
    if (error instanceof HeaderTooLong) throw error
    return nothing
  }
}
