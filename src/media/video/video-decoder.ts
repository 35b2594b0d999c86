/** Reading clips: what a decoder offers, whichever one it is. */
import type { RgbaImage } from '../rgba-image.ts'

/** Degrees by which the stored picture is turned clockwise to stand upright. */
export type Rotation = 0 | 90 | 180 | 270

/** What the times of the pictures tell of how a clip came to be. Cameras and their recorders leave no zero and no step back. */
export interface FrameTiming {
  /** Duration of the clip, its sound included, by the headers, in seconds; `null` where they say none. */
  declaredS: number | null
  /** Pictures that are shown at the very time of another one. */
  sameTime: number
  /** Pictures that are to be decoded no later than the one before them in the file. */
  backSteps: number
  /** Pictures a second by the shortest time between two of them; `null` where all have one time. */
  fastestRate: number | null
}

export interface VideoFacts {
  /** Upright size, in stored pixels. */
  width: number
  height: number
  rotation: Rotation
  /** From the first picture to the end of the last one, by the times of the pictures. */
  durationS: number
  /** What of it is used: shorter where a longer clip is cropped. */
  usedDurationS: number
  /** Mean over the clip: phones record at a changing rate. */
  framesPerSecond: number
  /** Coded pictures; `null` when the clip was not read to its end. */
  frames: number | null
  /** `null` where the pictures have no times, as those of an archive. */
  timing: FrameTiming | null
  /** Name of the demuxer, as `mov` or `matroska`. */
  container: string
  /** Name of the codec, as `h264` or `vp9`. */
  codec: string
  /** By the bytes, not as declared. */
  mimeType: string
}

export interface VideoFrame {
  /** Seconds from the first picture. */
  timeS: number
  /** Upright, scaled down to the side that was wanted. */
  image: RgbaImage
  /** The same picture, unscaled. To be asked for before the next frame is. */
  fullSize(): Promise<RgbaImage>
}

export interface VideoLimits {
  /** Width × height of a stored picture at most. */
  pixelsMax: number
  framesPerSecondMax: number
  /** Longest clip; `null` for as long as any clip may be. */
  durationMaxS: number | null
  /** What happens to a longer one: refused, or only its beginning is used. */
  longer: 'refuse' | 'crop'
  /** Reading and decoding may take so long in all. Checked between pictures. */
  timeMaxMs: number
}

export interface FramesWanted {
  /** Seconds from the first picture, ascending: for each the first picture at or after it. `null`: every picture. */
  timesS: readonly number[] | null
  /** Longer side of the pictures at most, in pixels. */
  sideMax: number
}

/** A clip whose headers were read. Damage shows while its pictures are decoded. */
export interface OpenedVideo {
  readonly facts: VideoFacts
  /**
   * Decodes forward once, and yields the pictures wanted in order of time. Two times that fall on one picture yield it
   * once; times past the end, or in a damaged part, yield nothing.
   * @throws {AppError} `media_unreadable` when too few pictures can be decoded, or not within the time
   */
  frames(wanted: FramesWanted): AsyncIterable<VideoFrame>
  /**
   * The first picture at or after a time, in full size; `null` past the end.
   * @throws {AppError} as `frames`
   */
  frameAt(timeS: number): Promise<VideoFrame | null>
  /** Gives the memory back. */
  close(): void
}

/**
 * Reads clips. Pictures are RGBA, upright; times are seconds from the first picture. An opened clip holds memory until `close`.
 * @example
 * ```ts
 * import { clip } from '../../../test/fixtures/clips.ts'
 * import { anyDecoder, testLimits } from '../../../test/fixtures/video-decoders.ts'
 *
 * const video = await anyDecoder().open(await clip('h264 mp4'), testLimits)
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
  readonly id: 'lean' | 'ffmpeg-core'
  /**
   * Reads what a clip is, decoding next to nothing. Each clip gets an instance of its own.
   * @throws {AppError} `media_unsupported` for other files and unknown codecs, `media_unreadable` for damaged or too short
   *   clips and for those beyond the limits, `value_invalid` for a clip that lasts too long
   */
  open(bytes: Uint8Array, limits: VideoLimits): Promise<OpenedVideo>
}

/** Times spread evenly over a duration, each in the middle of its share. */
export function spreadTimes(durationS: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => (durationS * (index + 0.5)) / count)
}
