/** The interface of video decoders. */
import type { RgbaImage } from '../rgba-image.ts'
import type { SniffedClip } from './formats/registry.ts'
import type { TimeBudget } from './time-budget.ts'

/** A clip to be decoded: where it came from a caller, an opened medium. */
export interface ClipFile {
  format: SniffedClip
  bytes: Uint8Array
}

/** Clockwise rotation in degrees that brings the stored picture upright. */
export type Rotation = 0 | 90 | 180 | 270

/** Timing facts that hint at how a clip was made. Clips of cameras have no equal times and no backward steps. */
export interface FrameTiming {
  /** Duration in the headers in seconds, including sound; `null` if missing. */
  declaredS: number | null
  /** Number of pictures with the same presentation time as another one. */
  sameTime: number
  /** Number of pictures whose decoding time is not later than that of the previous one in the file. */
  backSteps: number
  /** Pictures per second by the shortest interval between two of them; `null` if all times are equal. */
  fastestRate: number | null
}

export interface VideoFacts {
  /** Size in pixels after the orientation is applied, by the headers: later pictures may have another one. */
  width: number
  height: number
  rotation: Rotation
  /** Time from the first picture to the end of the last one, by the times of the pictures. */
  durationS: number
  /** The part of it that is used: shorter if the clip is cropped. */
  usedDurationS: number
  /** Mean rate: phones record at a variable rate. */
  framesPerSecond: number
  /** Number of coded pictures; `null` if the clip was not read to its end. */
  frames: number | null
  /** `null` if the pictures have no times, as in an archive. */
  timing: FrameTiming | null
  /** Name of the demuxer, for example `mov` or `matroska`. */
  container: string
  /** Name of the codec, for example `h264` or `vp9`. */
  codec: string
  /** Detected from the bytes, not as declared. */
  mimeType: string
}

export interface VideoFrame {
  /** Seconds from the first picture. */
  timeS: number
  /** Upright, shrunk to the requested side. Pictures of a clip may differ in size. */
  image: RgbaImage
  /**
   * Keeps the same picture in full size until the clip is closed. Call it before requesting the next frame.
   * @returns reads the picture, which some decoders decode only then
   */
  keepFullSize(): () => Promise<RgbaImage>
}

export interface VideoLimits {
  /** Maximum of width × height of a stored picture. */
  pixelsMax: number
  framesPerSecondMax: number
  /** Maximum duration; `null` for the general maximum only. */
  durationMaxS: number | null
  /** Longer clips are refused, or only their beginning is used. */
  longer: 'refuse' | 'crop'
  /** Time limit for reading and decoding in total; checked between pictures. */
  timeMaxMs: number
  /** Maximum sum of width × height over the pictures of the used part, where a limit of time is no help; absent for none. */
  pixelsInAllMax?: number
}

export interface FramesWanted {
  /** Seconds from the first picture, ascending: for each the first picture at or after it. `null`: every picture. */
  timesS: readonly number[] | null
  /** Maximum longer side of the pictures in pixels. */
  sideMax: number
}

/** A clip whose headers were read. Damaged pictures are detected during decoding. */
export interface OpenedVideo {
  readonly facts: VideoFacts
  /**
   * Decodes forward once, and yields the pictures wanted in order of time. Two times that fall on one picture yield it
   * once; times past the end, or in a damaged part, yield nothing. Each picture keeps its own shape.
   * @throws {AppError} `media_unreadable` when too few pictures can be decoded, or not within the time, or one exceeds the limits
   */
  frames(wanted: FramesWanted): AsyncIterable<VideoFrame>
  /**
   * The first picture at or after a time, in full size; `null` past the end.
   * @throws {AppError} as `frames`
   */
  frameAt(timeS: number): Promise<VideoFrame | null>
  /** Releases the memory. */
  close(): void
}

/**
 * Reads clips. Pictures are RGBA, upright; times are seconds from the first picture. An opened clip holds memory until `close`.
 * @example
 * ```ts
 * import { clip } from '../../../test/fixtures/clips.ts'
 * import { anyDecoder, openClip, testLimits } from '../../../test/fixtures/video-decoders.ts'
 *
 * const video = await anyDecoder().open(openClip(await clip('h264 mp4')), testLimits)
 * const sizes: string[] = []
 * try {
 *   const wanted = { timesS: [0, 1], sideMax: 160 }
 *   for await (const { image } of video.frames(wanted)) sizes.push(`${image.width} × ${image.height}`)
 * } finally {
 *   video.close()
 * }
 * sizes // → ['160 × 90', '160 × 90']
 * video.facts.framesPerSecond // → 30
 * ```
 */
export interface VideoDecoder {
  readonly id: 'own' | 'lean' | 'ffmpeg-core'
  /** What it decodes, as texts write it. */
  readonly reads: string
  /**
   * Reads what a clip is, decoding next to nothing. Each clip gets an instance of its own.
   * @param budget of the medium, if more is done with it; else `timeMaxMs`
   * @throws {AppError} `media_unsupported` for unknown codecs, `media_unreadable` for damaged or too short
   *   clips and for those beyond the limits, `value_invalid` for a clip that lasts too long
   */
  open(clip: ClipFile, limits: VideoLimits, budget?: TimeBudget): Promise<OpenedVideo>
  /**
   * Writes the beginning of a clip, `durationMaxS` long, as a file of the same kind. Its pictures are copied, not encoded again. Absent
   * if nothing on this machine writes clips.
   * @returns `null` if the clip cannot be copied
   * @throws {AppError} `media_unreadable` if it takes too long
   */
  crop?(clip: ClipFile, limits: VideoLimits, budget: TimeBudget): Promise<Uint8Array | null>
}

/** Times spread evenly over a duration, each in the middle of its interval. */
export function spreadTimes(durationS: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => (durationS * (index + 0.5)) / count)
}
