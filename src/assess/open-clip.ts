import { isTooLong } from '../media/video/check-clip.ts'
import { TimeBudget } from '../media/video/time-budget.ts'
import type {
  ClipFile,
  FrameTiming,
  OpenedVideo,
  VideoDecoder,
  VideoLimits,
} from '../media/video/video-decoder.ts'
import type { LongClip } from './assessment.ts'

/** What clips are opened with. */
export interface ClipOpener {
  decoder: VideoDecoder
  videoLimits: VideoLimits
  /** Milliseconds that this thread has worked: a busy machine makes no clip too expensive. */
  workedMs?: () => number
}

/** A clip to be assessed. */
export interface OpenedClip {
  video: OpenedVideo
  /** Timing of the file that was sent: a cropped one has times that we wrote. */
  timing: FrameTiming | null
  /** The file that replaces a clip that is too long; `null` if the clip is used as it is. */
  cropped: Uint8Array | null
}

const longers: Record<LongClip, VideoLimits['longer']> = { refuse: 'refuse', keep: 'crop' }

/**
 * Opens a clip. If it is too long, and can be copied here, its beginning becomes a file of its own, which replaces it.
 * @throws {AppError} as `VideoDecoder`
 */
export async function openClip(
  { decoder, videoLimits, workedMs }: ClipOpener,
  clip: ClipFile,
  longClip?: LongClip,
): Promise<OpenedClip> {
  const limits = longClip ? { ...videoLimits, longer: longers[longClip] } : videoLimits
  const budget = new TimeBudget(limits.timeMaxMs, workedMs)
  const video = await decoder.open(clip, limits, budget)
  const { timing } = video.facts
  if (longClip === 'keep' || !decoder.crop || !isTooLong(video.facts, limits))
    return { video, timing, cropped: null }
  video.close()
  const cropped = await decoder.crop(clip, limits, budget)
  const used = cropped ? { format: clip.format, bytes: cropped } : clip
  return { video: await decoder.open(used, limits, budget), timing, cropped }
}
