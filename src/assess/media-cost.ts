/** Estimates the cost of assessing a medium from its header. Used only for the order of waiting media. */
import { filesMax } from '../media/archive/archive-directory.ts'
import type { ArchiveHeader } from '../media/archive/archive-header.ts'
import { checkHeader } from '../media/decode-image.ts'
import { pictureFormat } from '../media/formats/registry.ts'
import { isRead, type OpenedMedium } from '../media/opened-medium.ts'
import type { PictureHeader } from '../media/picture-header.ts'
import type { ClipHeader } from '../media/video/formats/clip-format.ts'
import { keyFrames, sampledMax, sampledPerSecond } from './frame-counts.ts'

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

/** Finding out that a medium is damaged takes little time. */
function pictureDecodingMs(header: PictureHeader): number {
  try {
    checkHeader(header, { pixelsMax: Number.POSITIVE_INFINITY })
  } catch {
    return 0
  }
  const { format, width, height, scans } = header
  const megapixels = (width * height) / 1e6
  return megapixels * (pictureFormat(format).megapixelMs + (scans - 1) * scanMegapixelMs)
}

function clipCostMs({ megapixels, durationS, pictures }: ClipHeader, { clipMaxS }: CostLimits): number {
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

/** Of each picture the cost of its pixels where its header is known, else that of its bytes. */
function archiveCostMs({ entries, files }: ArchiveHeader): number {
  // A longer directory may have as many files as are allowed.
  if (entries === null) return framesCostMs(filesMax)
  const decodingMs = files.map(({ size, header }) =>
    Math.max(header ? pictureDecodingMs(header) : 0, archivedByteMs * size),
  )
  return framesCostMs(files.length) + decodingMs.reduce((sumMs, ms) => sumMs + ms, 0)
}

function costMs(medium: OpenedMedium, limits: CostLimits): number {
  if (medium.kind === 'other') return baseMs
  if (medium.header === 'long') return Number.POSITIVE_INFINITY
  if (medium.kind === 'picture')
    return baseMs + (isRead(medium.header) ? pictureDecodingMs(medium.header) : 0)
  if (!isRead(medium.header)) return severalFramesMs
  const ms = medium.kind === 'clip' ? clipCostMs(medium.header, limits) : archiveCostMs(medium.header)
  return Math.max(severalFramesMs, ms)
}

/** Estimated milliseconds on one core: as much as there may be of media that hide what they hold. */
export function estimateCostMs(medium: OpenedMedium, limits: CostLimits): number {
  const ms = costMs(medium, limits)
  return ms <= limits.taskTimeoutMs ? ms : limits.taskTimeoutMs
}
