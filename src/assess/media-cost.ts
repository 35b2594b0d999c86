/** Estimates the cost of assessing a medium from its headers. Used only for the order of waiting media. */
import { inspectImage } from '../media/decode-image.ts'
import { sniff } from '../media/sniff.ts'
import { readClipHeader } from '../media/video/clip-header.ts'
import { filesMax, isFile, readEndRecord, readTable } from './archive-directory.ts'
import { keyFrames, sampledMax, sampledPerSecond } from './frame-counts.ts'
import { isClip } from './is-clip.ts'

/** Base cost of any medium: the analysis of a picture of ordinary size. */
const baseMs = 150
/**
 * Decoding and shrinking per megapixel, measured with 40 megapixels on one core; JPEG as mozjpeg decodes it, which a damaged file
 * needs.
 */
const megapixelMs = { jpeg: 25, png: 160, webp: 110 } as const
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
/** Longer clips are refused. */
const durationMaxS = 600
/** Decoding a picture of an archive, per unpacked byte: about the same for JPEG and PNG, whose headers may be packed. */
const archivedByteMs = 1e-4
/** Longest table of an archive that is read here. */
const tableBytesMax = 2 ** 18

/** No medium may take longer than a few times this. Headers can declare anything, and what they exaggerate is no reason to wait for ever. */
const costMaxMs = 60_000

/** Cost of the frames of a clip, without decoding them. */
const framesCostMs = (frames: number): number =>
  sampledFrameMs * Math.min(sampledMax, frames) + keyFrameMs * Math.min(keyFrames, frames)

function imageDecodingMs(bytes: Uint8Array): number {
  const { format, width, height, scans } = inspectImage(bytes, { pixelsMax: Number.POSITIVE_INFINITY })
  const megapixels = (width * height) / 1e6
  return megapixels * (megapixelMs[format] + (scans - 1) * scanMegapixelMs)
}

function clipCostMs(bytes: Uint8Array): number {
  const { megapixels, durationS, pictures } = readClipHeader(bytes)
  const ofPicturesS = pictures === null ? usual.durationS : pictures / usual.picturesPerSecond
  const usedS = Math.min(durationMaxS, durationS ?? ofPicturesS)
  const decoded = pictures ?? usedS * usual.picturesPerSecond
  const decodingMs = clipMegapixelMs * (megapixels ?? usual.megapixels) * decoded
  return openClipMs + framesCostMs(usedS * sampledPerSecond) + decodingMs
}

function archiveCostMs(bytes: Uint8Array): number {
  const { rows, tableAt } = readEndRecord(bytes)
  const table = bytes.subarray(tableAt, tableAt + tableBytesMax)
  const files = readTable(table, rows).filter(isFile).slice(0, filesMax)
  return framesCostMs(files.length) + archivedByteMs * files.reduce((sum, { size }) => sum + size, 0)
}

/** Finding out that a medium is damaged takes little time. */
function orNothing(estimate: () => number): number {
  try {
    return estimate()
  } catch {
    return 0
  }
}

function costMs(bytes: Uint8Array): number {
  const { kind } = sniff(bytes)
  if (kind === 'image') return baseMs + orNothing(() => imageDecodingMs(bytes))
  if (kind === 'archive')
    return Math.max(
      severalFramesMs,
      orNothing(() => archiveCostMs(bytes)),
    )
  return isClip(bytes) ? Math.max(severalFramesMs, clipCostMs(bytes)) : baseMs
}

/** Estimated milliseconds on one core. */
export function estimateCostMs(bytes: Uint8Array): number {
  const ms = costMs(bytes)
  return ms <= costMaxMs ? ms : costMaxMs
}
