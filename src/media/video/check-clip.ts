/** Checks the headers of a clip against the limits, before decoding. The same for every decoder. */
import { AppError, type MediaReason } from '../../errors.ts'
import type { Orientation } from '../exif.ts'
import type { Size } from '../rgba-image.ts'
import { toRotation } from './display-matrix.ts'
import type { SniffedClip } from './formats/registry.ts'
import { type PictureTimes, summarizeTiming } from './frame-timing.ts'
import { damagedClip } from './unreadable-clip.ts'
import type { VideoFacts, VideoLimits } from './video-decoder.ts'

/** Facts that a decoder reads from headers and packets. */
export interface RawFacts extends PictureTimes {
  /** Stored size. */
  width: number
  height: number
  /** Orientation to apply. */
  orientation: Orientation
  codec: string
  /** Number of coded pictures read. */
  packets: number
  /** Times of the earliest and the latest picture; `NaN` if no picture has a time. */
  firstS: number
  lastS: number
  /** Duration of the latest picture; 0 or `NaN` if unknown. */
  lastDurationS: number
  /** Whether all packets were read. */
  isWhole: boolean
}

/** Too short for liveness detection below this duration or number of frames. */
const durationMinS = 0.5
export const framesMin = 5
/** Maximum duration of any clip, cropped or not: a little less than ten minutes. */
export const wholeDurationMaxS = 595
/** Minimum side in pixels: no face can be detected in smaller pictures. */
const sideMin = 16
export const sideMax = 16_384
/** Tolerance for rates and durations, which are computed from rounded times. */
const tolerance = 1.01

/** Codecs that the decoders of all containers support; the lean one has no others. */
export const codecs: ReadonlySet<string> = new Set([
  ...['h264', 'hevc', 'vp8', 'vp9', 'mjpeg', 'mpeg4', 'h263', 'theora'],
  ...['mpeg1video', 'mpeg2video', 'wmv1', 'wmv2', 'wmv3', 'vc1'],
])

/** Names of codecs come from the file. */
export const sanitizeCodec = (name: string): string => name.replace(/[^\w-]/g, '').slice(0, 16)

const tooShort = (detail: string): AppError =>
  new AppError(
    'media_unreadable',
    `The video is too short: ${detail}. Send at least ${durationMinS} s and ${framesMin} frames`,
    { details: { expected: `at least ${durationMinS} s and ${framesMin} frames` }, reason: 'too_short' },
  )

export const tooFewDecoded = (): AppError => tooShort(`fewer than ${framesMin} frames can be decoded`)

/** Time from the first picture to the end of the last one. */
function measureDuration(raw: RawFacts): number {
  const shownS = raw.lastS - raw.firstS
  const meanS = shownS / (raw.packets - 1)
  // A last picture with a long duration must not prolong the clip.
  const lastS = raw.lastDurationS > 0 ? Math.min(raw.lastDurationS, 2 * meanS) : meanS
  return shownS + lastS
}

/**
 * Checks the stored size of pictures, by the headers or of one that was decoded.
 * @throws {AppError} `media_unreadable` if they are too small or too large
 */
export function checkPictureSize({ width, height }: Size, pixelsMax: number): void {
  const refuse = (expected: string, reason: MediaReason = 'too_many_pixels'): never => {
    const message = `The video has frames of ${width} × ${height} pixels; send ${expected}`
    throw new AppError('media_unreadable', message, { details: { width, height, expected }, reason })
  }
  if (width * height > pixelsMax) refuse(`at most ${pixelsMax} pixels`)
  if (Math.max(width, height) > sideMax) refuse(`at most ${sideMax} pixels a side`)
  if (width === 0 || height === 0) throw damagedClip()
  if (Math.min(width, height) < sideMin) refuse(`at least ${sideMin} pixels a side`, 'too_small')
}

/** Rounded up, so that a limit that is exceeded is not shown as kept. */
const toTenths = (value: number): number => Math.ceil(value * 10) / 10

function checkDuration(durationS: number, limits: VideoLimits): void {
  if (durationS < durationMinS) throw tooShort(`it lasts ${Math.floor(durationS * 100) / 100} s`)
  const { durationMaxS, longer } = limits
  const isBounded = longer === 'refuse' && durationMaxS !== null
  const maxS = isBounded ? durationMaxS * tolerance : wholeDurationMaxS
  const namedS = isBounded ? durationMaxS : wholeDurationMaxS
  if (durationS > maxS)
    throw new AppError('value_invalid', `The video lasts ${toTenths(durationS)} s; at most ${namedS} s`, {
      details: { duration: toTenths(durationS), expected: `at most ${namedS} s` },
      reason: 'too_long',
    })
}

/** @throws {AppError} `media_unreadable` if all pictures of the used part together are too large */
function checkWork(
  { width, height }: Size,
  pictures: number,
  { pixelsInAllMax = Number.POSITIVE_INFINITY }: VideoLimits,
): void {
  const picturesMax = Math.floor(pixelsInAllMax / (width * height))
  if (pictures <= picturesMax * tolerance) return
  const expected = `at most ${picturesMax} pictures of this size`
  const message = `The video has ${Math.ceil(pictures)} pictures of ${width} × ${height} pixels; here it may have ${expected}`
  throw new AppError('media_unreadable', message, {
    details: { width, height, expected },
    reason: 'too_costly',
  })
}

/** Whether only the beginning of a clip is used. */
export const isTooLong = ({ durationS }: VideoFacts, { durationMaxS, longer }: VideoLimits): boolean =>
  longer === 'crop' && durationMaxS !== null && durationS > durationMaxS * tolerance

/**
 * Checks a clip against the limits and returns its facts.
 * @throws {AppError} `media_unreadable` or `value_invalid` if it exceeds them, `media_unsupported` for other codecs
 */
export function checkClip(sniffed: SniffedClip, raw: RawFacts, limits: VideoLimits): VideoFacts {
  if (!codecs.has(raw.codec))
    throw new AppError(
      'media_unsupported',
      `The codec of the video is not supported: ${sanitizeCodec(raw.codec)}; supported are ${[...codecs].join(', ')}`,
      {
        details: { codec: sanitizeCodec(raw.codec), expected: `one of ${[...codecs].join(', ')}` },
        reason: 'codec',
      },
    )
  checkPictureSize(raw, limits.pixelsMax)
  if (raw.packets < framesMin) throw tooShort(`it has ${raw.packets} frames`)
  const durationS = measureDuration(raw)
  if (!Number.isFinite(durationS))
    throw new AppError('media_unreadable', 'The frames of the video have no times')
  const framesPerSecond = raw.packets / durationS
  if (framesPerSecond > limits.framesPerSecondMax * tolerance)
    throw new AppError(
      'media_unreadable',
      `The video has ${toTenths(framesPerSecond)} frames a second; at most ${limits.framesPerSecondMax}`,
      {
        details: {
          frames_per_second: toTenths(framesPerSecond),
          expected: `at most ${limits.framesPerSecondMax} frames a second`,
        },
        reason: 'too_costly',
      },
    )
  checkDuration(durationS, limits)
  const usedDurationS = Math.min(durationS, limits.durationMaxS ?? durationS)
  checkWork(raw, framesPerSecond * usedDurationS, limits)
  const isTurned = raw.orientation >= 5
  return {
    width: isTurned ? raw.height : raw.width,
    height: isTurned ? raw.width : raw.height,
    rotation: toRotation(raw.orientation),
    durationS,
    usedDurationS,
    framesPerSecond,
    frames: raw.isWhole ? raw.packets : null,
    timing: summarizeTiming(raw),
    container: sniffed.container,
    codec: raw.codec,
    mimeType: sniffed.mimeType,
  }
}
