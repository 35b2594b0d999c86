/** What is refused by the headers of a clip, before any of it is decoded. The same for every decoder. */
import { AppError } from '../../errors.ts'
import type { Orientation } from '../exif.ts'
import { rotationOf } from './display-matrix.ts'
import { type PictureTimes, summarizeTiming } from './frame-timing.ts'
import type { SniffedVideo } from './sniff-video.ts'
import type { VideoFacts, VideoLimits } from './video-decoder.ts'

/** What a decoder read from headers and packets. */
export interface RawFacts extends PictureTimes {
  /** As stored. */
  width: number
  height: number
  /** How it is turned upright. */
  orientation: Orientation
  codec: string
  /** Coded pictures that were seen. */
  packets: number
  /** Of the first and the last picture in order of time; `NaN` where no picture has a time. */
  firstS: number
  lastS: number
  /** How long the last one is shown; 0 or `NaN` where the clip does not say. */
  lastDurationS: number
  /** Whether all packets were seen. */
  isWhole: boolean
}

/** Shorter clips, or such of fewer pictures, show no life. */
const durationMinS = 0.5
export const framesMin = 5
/** No clip lasts longer, cropped or not: a little less than ten minutes. */
export const wholeDurationMaxS = 595
/** No face can be found below this. */
const sideMin = 16
const sideMax = 16_384
/** Rates and durations are read off times that were rounded. */
const tolerance = 1.01

/** What both decoders read. The build of our own has no others. */
const codecs = new Set([
  ...['h264', 'hevc', 'vp8', 'vp9', 'mjpeg', 'mpeg4', 'h263', 'theora'],
  ...['mpeg1video', 'mpeg2video', 'wmv1', 'wmv2', 'wmv3', 'vc1'],
])

const tooShort = (detail: string): AppError =>
  new AppError(
    'media_unreadable',
    `The video is too short: ${detail}. Send at least ${durationMinS} s and ${framesMin} frames`,
  )

export const tooFewDecoded = (): AppError => tooShort(`fewer than ${framesMin} frames can be decoded`)

/** Time passed from the first picture to the end of the last one. */
function measureDuration(raw: RawFacts): number {
  const shownS = raw.lastS - raw.firstS
  const meanS = shownS / (raw.packets - 1)
  // A last picture that claims to stay long adds nothing to see.
  const lastS = raw.lastDurationS > 0 ? Math.min(raw.lastDurationS, 2 * meanS) : meanS
  return shownS + lastS
}

/** @throws {AppError} `media_unreadable` when a picture is too small or too large */
function checkSize({ width, height }: { width: number; height: number }, pixelsMax: number): void {
  if (width * height > pixelsMax || Math.max(width, height) > sideMax)
    throw new AppError('media_unreadable', `The video has frames of more than ${pixelsMax} pixels`)
  if (width === 0 || height === 0) throw new AppError('media_unreadable', 'The video is damaged')
  if (Math.min(width, height) < sideMin)
    throw new AppError('media_unreadable', `The video is smaller than ${sideMin} pixels`)
}

function checkDuration(durationS: number, limits: VideoLimits): void {
  if (durationS < durationMinS) throw tooShort(`it lasts less than ${durationMinS} s`)
  const { durationMaxS, longer } = limits
  const isBounded = longer === 'refuse' && durationMaxS !== null
  const maxS = isBounded ? durationMaxS * tolerance : wholeDurationMaxS
  if (durationS > maxS)
    throw new AppError(
      'value_invalid',
      `The video lasts longer than ${isBounded ? durationMaxS : wholeDurationMaxS} s`,
      { details: 'duration' },
    )
}

/**
 * Facts of a clip that is within the limits.
 * @throws {AppError} `media_unreadable` or `value_invalid` for one that is not, `media_unsupported` for other codecs
 */
export function checkClip(sniffed: SniffedVideo, raw: RawFacts, limits: VideoLimits): VideoFacts {
  if (!codecs.has(raw.codec))
    throw new AppError('media_unsupported', 'The codec of the video is not supported')
  checkSize(raw, limits.pixelsMax)
  if (raw.packets < framesMin) throw tooShort(`it has fewer than ${framesMin} frames`)
  const durationS = measureDuration(raw)
  if (!Number.isFinite(durationS))
    throw new AppError('media_unreadable', 'The frames of the video have no times')
  const framesPerSecond = raw.packets / durationS
  if (framesPerSecond > limits.framesPerSecondMax * tolerance)
    throw new AppError(
      'media_unreadable',
      `The video has more than ${limits.framesPerSecondMax} frames a second`,
    )
  checkDuration(durationS, limits)
  const isTurned = raw.orientation >= 5
  return {
    width: isTurned ? raw.height : raw.width,
    height: isTurned ? raw.width : raw.height,
    rotation: rotationOf(raw.orientation),
    durationS,
    usedDurationS: Math.min(durationS, limits.durationMaxS ?? durationS),
    framesPerSecond,
    frames: raw.isWhole ? raw.packets : null,
    timing: summarizeTiming(raw),
    container: sniffed.container,
    codec: raw.codec,
    mimeType: sniffed.mimeType,
  }
}
