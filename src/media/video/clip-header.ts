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

/** Maximum number of boxes or elements of one file that are looked at, one after the other. */
const stepsMax = 500

/** Counts what is looked at in a file. */
class Steps {
  #left = stepsMax

  take(): boolean {
    return this.#left-- > 0
  }
}

const toDataView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Headers leave a value out by writing 0. */
const orNull = (value: number): number | null => (Number.isFinite(value) && value > 0 ? value : null)

const toMegapixels = (width: number, height: number): number => (width * height) / 1e6

/** Contents of adjacent boxes of one kind. */
function* findBoxes(bytes: Uint8Array, kind: string, steps: Steps): Generator<Uint8Array> {
  const view = toDataView(bytes)
  for (let at = 0; at + 16 <= bytes.length && steps.take(); ) {
    const short = view.getUint32(at)
    const isLong = short === 1
    const size = isLong ? Number(view.getBigUint64(at + 8)) : short === 0 ? bytes.length - at : short
    const head = isLong ? 16 : 8
    if (size < head) return
    if (asciiText(bytes, at + 4, at + 8) === kind) yield bytes.subarray(at + head, at + size)
    at += size
  }
}

/** The first of the things found. */
const firstOf = (found: Iterable<Uint8Array>): Uint8Array | null => {
  for (const content of found) return content
  return null
}

/** Content of the first box at the end of a path of first boxes. */
function findBox(bytes: Uint8Array, steps: Steps, ...path: readonly string[]): Uint8Array | null {
  let box: Uint8Array | null = bytes
  for (const kind of path) box = box && firstOf(findBoxes(box, kind, steps))
  return box
}

function readTrack(track: Uint8Array, steps: Steps): { megapixels: number; pictures: number } {
  const head = findBox(track, steps, 'tkhd')
  const sizes = findBox(track, steps, 'mdia', 'minf', 'stbl', 'stsz')
  const view = head && toDataView(head)
  // Width and height are the last fields of the box, in 16.16 fixed point.
  const megapixels =
    view && view.byteLength >= 84
      ? toMegapixels(view.getUint16(view.byteLength - 8), view.getUint16(view.byteLength - 4))
      : 0
  return { megapixels, pictures: sizes && sizes.length >= 12 ? toDataView(sizes).getUint32(8) : 0 }
}

const unknownDurations: ReadonlySet<number> = new Set([0xffff_ffff, 2 ** 64])

/** @param head content of `mvhd` */
function readMovieDuration(head: Uint8Array): number {
  const view = toDataView(head)
  const isLong = view.getUint8(0) === 1
  const [unit, duration] = isLong
    ? [view.getUint32(20), Number(view.getBigUint64(24))]
    : [view.getUint32(12), view.getUint32(16)]
  return unknownDurations.has(duration) ? 0 : duration / unit
}

function readIsoBaseMedia(bytes: Uint8Array): ClipHeader {
  const steps = new Steps()
  const movie = findBox(bytes, steps, 'moov')
  if (!movie) return nothing
  const head = findBox(movie, steps, 'mvhd')
  const tracks = [...findBoxes(movie, 'trak', steps)].map((track) => readTrack(track, steps))
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

/** An identifier of an element (RFC 8794, section 5), with the bit that marks its length. */
function readId(bytes: Uint8Array, at: number): { id: number; end: number } {
  const length = Math.clz32(bytes[at] ?? 0) - 23
  let id = 0
  for (let i = 0; i < length; i++) id = id * 256 + (bytes[at + i] ?? 0)
  return { id, end: at + length }
}

/** The size of an element (section 6); one whose bits are all set is unknown, and the element reaches to the end. */
function readSize(bytes: Uint8Array, at: number): { size: number; end: number } {
  const length = Math.clz32(bytes[at] ?? 0) - 23
  let size = (bytes[at] ?? 0) & (0xff >> length)
  for (let i = 1; i < length; i++) size = size * 256 + (bytes[at + i] ?? 0)
  return { size: size >= 2 ** (7 * length) - 1 ? Number.POSITIVE_INFINITY : size, end: at + length }
}

/** Contents of adjacent elements of one kind. */
function* findElements(bytes: Uint8Array, kind: number, steps: Steps): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length && steps.take(); ) {
    const { id, end: sizeAt } = readId(bytes, at)
    const { size, end } = readSize(bytes, sizeAt)
    if (sizeAt - at > 4 || end - sizeAt > 8) return
    if (id === kind) yield bytes.subarray(end, end + size)
    at = end + size
  }
}

const findElement = (bytes: Uint8Array | null, kind: number, steps: Steps): Uint8Array | null =>
  bytes && firstOf(findElements(bytes, kind, steps))

const readInteger = (content: Uint8Array | null): number =>
  content?.subarray(0, 8).reduce((value, byte) => value * 256 + byte, 0) ?? 0

function readFloat(content: Uint8Array | null): number {
  if (content?.length === 4) return toDataView(content).getFloat32(0)
  return content?.length === 8 ? toDataView(content).getFloat64(0) : 0
}

function readMatroska(bytes: Uint8Array): ClipHeader {
  const steps = new Steps()
  const segment = findElement(bytes, elements.segment, steps)
  const info = findElement(segment, elements.info, steps)
  const tracks = findElement(segment, elements.tracks, steps)
  const integer = (parent: Uint8Array | null, kind: number) => readInteger(findElement(parent, kind, steps))
  // The unit of times is a million nanoseconds if none is stated.
  const unitNs = integer(info, elements.timestampScale) || 1e6
  const durationS = orNull((readFloat(findElement(info, elements.duration, steps)) * unitNs) / 1e9)
  const sizes = (tracks ? [...findElements(tracks, elements.track, steps)] : []).map((track) => {
    const video = findElement(track, elements.video, steps)
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
