/** Estimates the cost of assessing a medium from its headers. Used only for the order of waiting media. */
import { Inflate } from 'fflate'
import {
  deflated,
  type Entry,
  filesMax,
  isFile,
  readEndRecord,
  readHeaderLength,
  readTable,
} from '../media/archive/archive-directory.ts'
import { inspectImage } from '../media/decode-image.ts'
import { type HeaderBudget, HeaderCursor, HeaderTooLong, loopBudget } from '../media/header-cursor.ts'
import { sniff } from '../media/sniff.ts'
import { readClipHeader } from '../media/video/clip-header.ts'
import { keyFrames, sampledMax, sampledPerSecond } from './frame-counts.ts'
import { isClip } from './is-clip.ts'

/** Base cost of any medium: the analysis of a picture of ordinary size. */
const baseMs = 150
/** Each additional scan of a JPEG, per megapixel. */
const scanMegapixelMs = 1

/** Upper bound of the cost of cheap media. Clips, archives and very large pictures are above it. */
export const cheapMaxMs = 1000
/** Least cost of clips and archives: headers can declare less than there is. */
const severalFramesMs = 1.1 * cheapMaxMs

/** Opening a clip, with either decoder. */
const openClipMs = 400
/** Decoding a clip, per megapixel of each of its pictures; 5.5 to 9.5 were measured for H.264 from 360p to 4K. */
const clipMegapixelMs = 8
/** Looking for movement in a sampled frame, and for anything else in one of the key frames. */
const sampledFrameMs = 25
const keyFrameMs = 45
/** Assumed of clips whose header does not say it. */
const usual = { megapixels: 2, durationS: 5, picturesPerSecond: 30 } as const
/** Decoding a photo of an archive, per unpacked byte: about the same for JPEG and PNG. */
const archivedByteMs = 1e-4
/** Packed bytes of a picture of an archive that are read here: the header of a PNG or WebP. */
const packedHeadBytes = 256
/** What they may unpack to, in sum, and the least that each does: files that hide what they hold may cost anything. */
const headsBytesMax = 2 ** 18
const headBytesMin = 32
/** Longest table of an archive that is read here. */
const tableBytesMax = 2 ** 18

/** What no medium exceeds, whatever its header declares. */
export interface CostLimits {
  /** Time limit of a medium. */
  taskTimeoutMs: number
  /** Seconds of a clip that are assessed. */
  clipMaxS: number
}

/** Cost of the frames of a clip, without decoding them. */
const framesCostMs = (frames: number): number =>
  sampledFrameMs * Math.min(sampledMax, frames) + keyFrameMs * Math.min(keyFrames, frames)

function imageDecodingMs(bytes: Uint8Array, budget: HeaderBudget): number {
  const { format, width, height, scans } = inspectImage(
    bytes,
    { pixelsMax: Number.POSITIVE_INFINITY },
    budget,
  )
  const megapixels = (width * height) / 1e6
  return megapixels * (format.megapixelMs + (scans - 1) * scanMegapixelMs)
}

function clipCostMs(bytes: Uint8Array, { clipMaxS }: CostLimits, budget: HeaderBudget): number {
  const { megapixels, durationS, pictures } = readClipHeader(bytes, budget)
  const { picturesPerSecond } = usual
  const declaredS = durationS ?? (pictures === null ? usual.durationS : pictures / picturesPerSecond)
  const usedS = Math.min(clipMaxS, declaredS)
  const usualPictures = usedS * picturesPerSecond
  // Declaring more time than there is must not make an ordinary rate of pictures cheaper.
  const decoded =
    pictures === null
      ? usualPictures
      : Math.max(pictures * (usedS / declaredS), Math.min(pictures, usualPictures))
  const decodingMs = clipMegapixelMs * (megapixels ?? usual.megapixels) * decoded
  return openClipMs + framesCostMs(usedS * sampledPerSecond) + decodingMs
}

/** Finding out that a medium is damaged takes little time. */
function orNothing(estimate: () => number): number {
  try {
    return estimate()
  } catch (error) {
    if (error instanceof HeaderTooLong) throw error
    return 0
  }
}

/** The beginning of a packed file: `bytesMin` if there are as many, and what comes with them. */
function unpackHead(packed: Uint8Array, bytesMin: number): Uint8Array {
  const chunks: Uint8Array[] = []
  let length = 0
  const inflate = new Inflate((chunk) => {
    chunks.push(chunk)
    length += chunk.length
  })
  for (let at = 0; at < packed.length && length < bytesMin; at += packedHeadBytes)
    inflate.push(packed.subarray(at, at + packedHeadBytes))
  const head = new Uint8Array(length)
  for (let at = 0; chunks.length > 0; at += chunks.shift()!.length) head.set(chunks[0]!, at)
  return head
}

/**
 * The beginning of a file of an archive.
 * @returns `null` if it hides what it holds
 */
function readHead(
  archive: HeaderCursor,
  { at, method, packedSize }: Entry,
  bytes = packedHeadBytes,
): Uint8Array | null {
  try {
    const file = archive.part(at)
    const packed = file.bytes(readHeaderLength(file), Math.min(packedSize, bytes))
    if (method !== deflated) return packed
    const head = unpackHead(packed, bytes)
    return head.length < headBytesMin ? null : head
  } catch {
    return null
  }
}

/** The beginnings of the files of an archive. */
class Heads {
  readonly #archive: HeaderCursor
  #bytes = 0

  constructor(archive: HeaderCursor) {
    this.#archive = archive
  }

  /** @throws {HeaderTooLong} for files that hide what they hold */
  read(file: Entry, bytes?: number): Uint8Array {
    const head = readHead(this.#archive, file, bytes)
    this.#bytes += head?.length ?? 0
    if (!head || this.#bytes > headsBytesMax) throw new HeaderTooLong()
    return head
  }
}

/** Cost of the pixels of a picture of an archive; 0 where its header is not at the beginning, and its bytes say enough. */
function archivedImageMs(heads: Heads, file: Entry, budget: HeaderBudget): number {
  const head = heads.read(file)
  const kind = sniff(head)
  const headerBytes = kind.kind === 'image' ? kind.format.headerBytes : undefined
  if (!headerBytes) return orNothing(() => imageDecodingMs(head, budget))
  const ms = orNothing(() => imageDecodingMs(heads.read(file, headerBytes), budget))
  if (ms === 0) throw new HeaderTooLong()
  return ms
}

/** Cost of decoding the pictures of an archive: of each that of its pixels where its header is at the beginning, else that of its bytes. */
function archivedMs(archive: HeaderCursor, files: readonly Entry[], budget: HeaderBudget): number {
  const heads = new Heads(archive)
  return files.reduce(
    (sumMs, file) => sumMs + Math.max(archivedImageMs(heads, file, budget), archivedByteMs * file.size),
    0,
  )
}

function archiveCostMs(bytes: Uint8Array, budget: HeaderBudget): number {
  const archive = new HeaderCursor(bytes, budget)
  const { rows, tableAt } = readEndRecord(archive)
  // A longer table may have as many files as are allowed.
  if (bytes.length - tableAt > tableBytesMax) return framesCostMs(filesMax)
  const files = readTable(archive.part(tableAt), rows).filter(isFile).slice(0, filesMax)
  return framesCostMs(files.length) + archivedMs(archive, files, budget)
}

/** The bytes decide in the same order as where media are assessed: a transport stream may begin like a picture. */
function costMs(bytes: Uint8Array, limits: CostLimits, budget: HeaderBudget): number {
  const { kind } = sniff(bytes)
  if (kind === 'archive')
    return Math.max(
      severalFramesMs,
      orNothing(() => archiveCostMs(bytes, budget)),
    )
  if (isClip(bytes)) return Math.max(severalFramesMs, clipCostMs(bytes, limits, budget))
  return baseMs + (kind === 'image' ? orNothing(() => imageDecodingMs(bytes, budget)) : 0)
}

/** Estimated milliseconds on one core: as much as there may be of media that hide what they hold. Takes some milliseconds itself. */
export function estimateCostMs(bytes: Uint8Array, limits: CostLimits): number {
  try {
    const ms = costMs(bytes, limits, loopBudget())
    return ms <= limits.taskTimeoutMs ? ms : limits.taskTimeoutMs
  } catch (error) {
    if (error instanceof HeaderTooLong) return limits.taskTimeoutMs
    throw error
  }
}
