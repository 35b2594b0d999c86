/** A ZIP of pictures as the frames of a clip, in the order of their names. */
import { type UnzipFileInfo, unzipSync } from 'fflate'
import { AppError } from '../errors.ts'
import { decodeImage, type ImageLimits, inspectImage } from '../media/decode-image.ts'
import type { ImageCodecs } from '../media/image-codecs.ts'
import type { OpenedVideo, VideoFrame } from '../media/video/video-decoder.ts'
import { Pyramid } from '../vision/pyramid.ts'
import { shrinkToSide } from '../vision/resample.ts'

export interface ArchiveLimits extends ImageLimits {
  /** Width × height of all pictures together at most. */
  pixelsInAllMax: number
}

const entriesMax = 120
/** Bytes of all pictures together, unpacked. */
const unpackedBytesMax = 128 * 2 ** 20
/** Coded pictures hardly shrink; what shrinks more than this is something else. */
const ratioMax = 50
const nameLengthMax = 255
/** Archives say nothing of time: their frames count as ten a second. */
const frameS = 0.1

const refuse = (message: string): never => {
  throw new AppError('media_unreadable', message)
}

/** Folders, and what some systems add. */
const isNoFrame = (name: string): boolean =>
  name.endsWith('/') || name.startsWith('__MACOSX/') || /(^|\/)(\.DS_Store|Thumbs\.db)$/.test(name)

/** Names lead nowhere here, and are refused all the same where they try. */
function checkName(name: string): void {
  const isSuspect =
    name.length > nameLengthMax ||
    /(^|[/\\])\.\.([/\\]|$)/.test(name) ||
    /^([/\\]|[a-z]:)/i.test(name) ||
    name.includes('\0')
  if (isSuspect) refuse('The archive has a file name that leads elsewhere')
}

/** Decides by the archive's table, before anything is unpacked. */
function sieve() {
  let entries = 0
  let bytes = 0
  return ({ name, size, originalSize, compression }: UnzipFileInfo): boolean => {
    checkName(name)
    if (isNoFrame(name)) return false
    entries++
    bytes += originalSize
    if (entries > entriesMax) refuse(`The archive has more than ${entriesMax} files`)
    if (bytes > unpackedBytesMax || originalSize > size * ratioMax + 1024)
      refuse('The archive unpacks to too much')
    if (compression !== 0 && compression !== 8) refuse('The archive is packed in a way that is not supported')
    return true
  }
}

function unpack(bytes: Uint8Array): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter: sieve() })
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('media_unreadable', 'The archive is damaged', { cause })
  }
}

/** The middle of a frame's share of the time. */
const timeOf = (index: number): number => (index + 0.5) * frameS

const byName = new Intl.Collator('en', { numeric: true }).compare

/**
 * Opens an archive. Every entry must be a picture; sizes are read from the headers before anything is decoded.
 * @throws {AppError} `media_unreadable` for damaged archives, for too many, too large and suspect entries, and as
 *   `inspectImage`
 */
export function openFrameArchive(codecs: ImageCodecs, bytes: Uint8Array, limits: ArchiveLimits): OpenedVideo {
  const files = Object.entries(unpack(bytes)).sort(([a], [b]) => byName(a, b))
  const frames = files.map(([, file]) => ({ file, header: inspectImage(file, limits) }))
  const [first] = frames
  if (!first) throw new AppError('media_unreadable', 'The archive is empty')
  const pixels = frames.reduce((sum, { header }) => sum + header.width * header.height, 0)
  if (pixels > limits.pixelsInAllMax) refuse('The pictures of the archive are too large together')
  const decode = async (index: number): Promise<Pyramid> => {
    const { file, header } = frames[index]!
    return new Pyramid(await decodeImage(codecs, file, header))
  }
  const frameOf = async (index: number, sideMax: number): Promise<VideoFrame> => {
    const picture = await decode(index)
    return {
      timeS: timeOf(index),
      image: shrinkToSide(picture, sideMax),
      fullSize: async () => picture.image,
    }
  }
  /** The first frame at or after a time; beyond the last one there is none. */
  const indexAt = (timeS: number): number => Math.max(0, Math.ceil(timeS / frameS - 0.5 - 1e-6))
  const durationS = frames.length * frameS
  const { width, height } = first.header
  return {
    facts: {
      ...{ width, height, durationS, usedDurationS: durationS },
      rotation: 0,
      framesPerSecond: 1 / frameS,
      frames: frames.length,
      timing: null,
      container: 'zip',
      codec: first.header.format,
      mimeType: 'application/zip',
    },
    async *frames({ timesS, sideMax }) {
      const wanted = timesS === null ? frames.map((_, i) => i) : timesS.map(indexAt)
      for (const index of new Set(wanted)) {
        if (index < frames.length) yield await frameOf(index, sideMax)
      }
    },
    frameAt: async (timeS) => {
      const index = indexAt(timeS)
      return index < frames.length ? frameOf(index, Number.POSITIVE_INFINITY) : null
    },
    close() {},
  }
}
