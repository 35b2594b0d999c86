/** Reads a ZIP of pictures as the frames of a clip, ordered by name. */
import { decodeImage, type ImageLimits, inspectImage } from '../decode-image.ts'
import { threadBudget } from '../header-cursor.ts'
import type { ImageCodecs } from '../image-codecs.ts'
import { type ArchiveMedium, openMedium } from '../opened-medium.ts'
import type { PictureHeader } from '../picture-header.ts'
import type { RgbaImage } from '../rgba-image.ts'
import type { OpenedVideo, VideoFrame } from '../video/video-decoder.ts'
import { byName, nameFile, refuseArchive } from './archive-directory.ts'
import { type ArchivedFile, unpackArchive } from './unpack-archive.ts'

/** What an archive may need beyond the limits of its pictures; absent for no other limit. */
export interface ArchiveMemory {
  /** Maximum of width × height of a picture: some of them are kept as a whole. */
  framePixelsMax?: number
  /** Maximum sum of the unpacked sizes. */
  unpackedBytesMax?: number
}

export interface ArchiveLimits extends ImageLimits, ArchiveMemory {
  /** Maximum sum of width × height over all pictures. */
  pixelsInAllMax: number
}

/** Archives have no times: their frames count as ten per second. */
const frameS = 0.1

function inspectFile({ name, bytes }: ArchivedFile, limits: ImageLimits): PictureHeader {
  try {
    return inspectImage(openMedium(bytes, threadBudget()), limits)
  } catch (error) {
    throw nameFile(error, name)
  }
}

/** The middle of a frame's interval, in seconds. */
const frameTimeS = (index: number): number => (index + 0.5) * frameS

/**
 * Opens an archive. Every entry must be a picture; sizes are checked by the headers before any decoding.
 * @param shrink makes a frame as small as it is asked for
 * @throws {AppError} the errors of `unpackArchive` and `inspectImage`, and `media_unreadable` if the archive is empty or its
 *   pictures are too large
 */
export function openFrameArchive(
  codecs: ImageCodecs,
  archive: ArchiveMedium,
  limits: ArchiveLimits,
  shrink: (picture: RgbaImage, sideMax: number) => RgbaImage,
): OpenedVideo {
  const files = unpackArchive(archive, limits.unpackedBytesMax).sort(byName)
  const frames = files.map((file) => ({ file, header: inspectFile(file, limits) }))
  const [first] = frames
  if (!first) return refuseArchive('The archive is empty')
  const pixels = frames.reduce((sum, { header }) => sum + header.width * header.height, 0)
  const { framePixelsMax = Number.POSITIVE_INFINITY } = limits
  if (frames.some(({ header }) => header.width * header.height > framePixelsMax))
    refuseArchive(`A picture of an archive may have ${framePixelsMax} pixels at most here`)
  if (pixels > limits.pixelsInAllMax) refuseArchive('The pictures of the archive are too large together')
  const decode = (index: number): Promise<RgbaImage> => {
    const { file, header } = frames[index]!
    return decodeImage(codecs, file.bytes, header, limits).catch((error: unknown) => {
      throw nameFile(error, file.name)
    })
  }
  const readFrame = async (index: number, sideMax: number): Promise<VideoFrame> => {
    const picture = await decode(index)
    return {
      timeS: frameTimeS(index),
      image: shrink(picture, sideMax),
      keepFullSize: () => async () => picture,
    }
  }
  /** Index of the first frame at or after a time; past the end for later times. */
  const indexAt = (timeS: number): number => Math.max(0, Math.ceil(timeS / frameS - 0.5 - 1e-6))
  const durationS = frames.length * frameS
  const { width, height } = first.header
  return {
    facts: {
      width,
      height,
      durationS,
      usedDurationS: durationS,
      rotation: 0,
      framesPerSecond: 1 / frameS,
      frames: frames.length,
      timing: null,
      container: 'zip',
      codec: first.header.format,
      mimeType: archive.format,
    },
    async *frames({ timesS, sideMax }) {
      const wanted = timesS === null ? frames.map((_, i) => i) : timesS.map(indexAt)
      for (const index of new Set(wanted)) {
        if (index < frames.length) yield await readFrame(index, sideMax)
      }
    },
    frameAt: async (timeS) => {
      const index = indexAt(timeS)
      return index < frames.length ? readFrame(index, Number.POSITIVE_INFINITY) : null
    },
    close() {},
  }
}
