/**
 * Size, duration and number of pictures of a clip as its header declares them, for estimates before decoding: ISO/IEC 14496-12 (MP4, MOV), RFC 9559
 * (Matroska, WebM) and AVI. Decoders measure them themselves.
 */
import { asciiText } from '../ascii.ts'
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

/** Maximum number of neighbouring boxes or elements that are looked at. */
const siblingsMax = 64

const toDataView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Headers leave a value out by writing 0. */
const orNull = (value: number): number | null => (Number.isFinite(value) && value > 0 ? value : null)

const toMegapixels = (width: number, height: number): number => (width * height) / 1e6

/** Contents of all boxes of one kind among adjacent boxes. */
function findBoxes(bytes: Uint8Array, kind: string): Uint8Array[] {
  const view = toDataView(bytes)
  const found: Uint8Array[] = []
  let at = 0
  for (let boxes = 0; boxes < siblingsMax && at + 16 <= bytes.length; boxes++) {
    const short = view.getUint32(at)
    const isLong = short === 1
    const size = isLong ? Number(view.getBigUint64(at + 8)) : short === 0 ? bytes.length - at : short
    const head = isLong ? 16 : 8
    if (size < head) break
    if (asciiText(bytes, at + 4, at + 8) === kind) found.push(bytes.subarray(at + head, at + size))
    at += size
  }
  return found
}

const findPath = (bytes: Uint8Array, ...kinds: readonly string[]): Uint8Array[] =>
  kinds.reduce<Uint8Array[]>((boxes, kind) => boxes.flatMap((box) => findBoxes(box, kind)), [bytes])

function readTrack(track: Uint8Array): { megapixels: number; pictures: number } {
  const [head] = findBoxes(track, 'tkhd')
  const [sizes] = findPath(track, 'mdia', 'minf', 'stbl', 'stsz')
  const view = head && toDataView(head)
  // Width and height are the last fields of the box, in 16.16 fixed point.
  const megapixels =
    view && view.byteLength >= 84
      ? toMegapixels(view.getUint16(view.byteLength - 8), view.getUint16(view.byteLength - 4))
      : 0
  return { megapixels, pictures: sizes && sizes.length >= 12 ? toDataView(sizes).getUint32(8) : 0 }
}

/** @param head content of `mvhd` */
function readMovieDuration(head: Uint8Array): number {
  const view = toDataView(head)
  const isLong = view.getUint8(0) === 1
  return isLong ? Number(view.getBigUint64(24)) / view.getUint32(20) : view.getUint32(16) / view.getUint32(12)
}

function readIsoBaseMedia(bytes: Uint8Array): ClipHeader {
  const [movie] = findBoxes(bytes, 'moov')
  if (!movie) return nothing
  const [head] = findBoxes(movie, 'mvhd')
  const tracks = findBoxes(movie, 'trak').map(readTrack)
  const largest = tracks.toSorted((a, b) => b.megapixels - a.megapixels)[0]
  return {
    megapixels: orNull(largest?.megapixels ?? 0),
    durationS: orNull(head && head.length >= 32 ? readMovieDuration(head) : 0),
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

/** A number of variable length (RFC 8794, section 4), with or without the bit that marks its length. */
function readVariable(bytes: Uint8Array, at: number, keepsMarker: boolean): { value: number; end: number } {
  const first = bytes[at] ?? 0
  const length = Math.clz32(first) - 23
  let value = keepsMarker ? first : first & (0xff >> length)
  for (let i = 1; i < length; i++) value = value * 256 + (bytes[at + i] ?? 0)
  return { value, end: at + length }
}

/** Contents of all elements of one kind among adjacent elements. An element of unknown size reaches beyond the end. */
function findElements(bytes: Uint8Array, kind: number): Uint8Array[] {
  const found: Uint8Array[] = []
  let at = 0
  for (let read = 0; read < siblingsMax && at < bytes.length; read++) {
    const id = readVariable(bytes, at, true)
    const size = readVariable(bytes, id.end, false)
    if (id.end - at > 4 || size.end - id.end > 8) break
    if (id.value === kind) found.push(bytes.subarray(size.end, size.end + size.value))
    at = size.end + size.value
  }
  return found
}

function readInteger(parent: Uint8Array, kind: number): number {
  const [content] = findElements(parent, kind)
  return content ? content.subarray(0, 8).reduce((value, byte) => value * 256 + byte, 0) : 0
}

function readFloat(parent: Uint8Array, kind: number): number {
  const [content] = findElements(parent, kind)
  if (content?.length === 4) return toDataView(content).getFloat32(0)
  return content?.length === 8 ? toDataView(content).getFloat64(0) : 0
}

function readMatroska(bytes: Uint8Array): ClipHeader {
  const [segment] = findElements(bytes, elements.segment)
  const [info] = segment ? findElements(segment, elements.info) : []
  const [tracks] = segment ? findElements(segment, elements.tracks) : []
  // The unit of times is a million nanoseconds if none is stated.
  const unitNs = (info && readInteger(info, elements.timestampScale)) || 1e6
  const durationS = orNull(info ? (readFloat(info, elements.duration) * unitNs) / 1e9 : 0)
  const sizes = (tracks ? findElements(tracks, elements.track) : []).flatMap((track) =>
    findElements(track, elements.video).map((video) => ({
      megapixels: toMegapixels(readInteger(video, elements.width), readInteger(video, elements.height)),
      pictureNs: readInteger(track, elements.defaultDuration),
    })),
  )
  const largest = sizes.toSorted((a, b) => b.megapixels - a.megapixels)[0]
  const isEven = durationS !== null && largest && largest.pictureNs > 0
  return {
    megapixels: orNull(largest?.megapixels ?? 0),
    durationS,
    pictures: isEven ? orNull((durationS * 1e9) / largest.pictureNs) : null,
  }
}

/** The main header `avih` follows the list `hdrl`, which comes first. */
function readAvi(bytes: Uint8Array): ClipHeader {
  if (asciiText(bytes, 24, 28) !== 'avih' || bytes.length < 72) return nothing
  const view = toDataView(bytes)
  const pictures = view.getUint32(48, true)
  return {
    megapixels: orNull(toMegapixels(view.getUint32(64, true), view.getUint32(68, true))),
    durationS: orNull((view.getUint32(32, true) * pictures) / 1e6),
    pictures: orNull(pictures),
  }
}

const readers: Partial<Record<VideoContainer, (bytes: Uint8Array) => ClipHeader>> = {
  mov: readIsoBaseMedia,
  matroska: readMatroska,
  avi: readAvi,
}

/** Reads what the header of a clip declares, in a bounded number of steps. Damaged headers declare nothing. */
export function readClipHeader(bytes: Uint8Array): ClipHeader {
  const container = sniffVideo(bytes)?.container
  try {
    return (container && readers[container]?.(bytes)) ?? nothing
  } catch {
    return nothing
  }
}
