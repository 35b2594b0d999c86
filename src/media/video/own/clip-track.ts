/** The pictures of a clip, whatever holds them. */
import { AppError } from '../../../errors.ts'
import type { DisplayMatrix } from '../display-matrix.ts'
import type { Coding } from './clip-codec.ts'

export interface ClipSample {
  /** Where its bytes are in the file. */
  at: number
  size: number
  /** From the first picture on, in order of time. */
  decodeS: number
  timeS: number
  durationS: number
  /** Whether decoding can begin here: by its picture, as tables may say anything. */
  isKey: boolean
}

/** A sample as tables give it: its times are in units of the track. */
export type Place = Omit<ClipSample, 'isKey'>

export interface ClipTrack {
  matrix: DisplayMatrix
  coding: Coding
  /** In the order of decoding; the first one is a key picture. */
  samples: ClipSample[]
  /** Duration in the headers, including sound; `NaN` if missing. */
  declaredS: number
}

/** Ten minutes at 240 pictures a second. */
export const samplesMax = 144_000

/** Thrown for clips that are left to other decoders. */
export class LeftToOthers extends Error {
  /** What the caller is told if there are no others. */
  readonly refusal: AppError

  constructor(refusal: AppError) {
    super(refusal.message)
    this.refusal = refusal
  }
}

const irregular = (): LeftToOthers =>
  new LeftToOthers(
    new AppError(
      'media_unreadable',
      'The video is damaged, or built in a way that is not supported here: send it as the camera recorded it',
      { reason: 'damaged' },
    ),
  )

/** @throws {LeftToOthers} for what is damaged or unusual */
export function demand(isGiven: unknown): asserts isGiven {
  if (!isGiven) throw irregular()
}

export const noPictures = (): LeftToOthers =>
  new LeftToOthers(new AppError('media_unreadable', 'The file has no video stream', { reason: 'format' }))

/** Reads a track, whose headers may end anywhere. @throws {LeftToOthers} */
export function readTrack(read: () => ClipTrack): ClipTrack {
  try {
    return read()
  } catch (error) {
    throw error instanceof RangeError ? irregular() : error
  }
}

/**
 * Samples with their kind, and times in seconds. Those that overlap could be any amount of work: together they must fit into the file.
 * @param unitS of the times
 */
export function checkSamples(
  bytes: Uint8Array,
  places: readonly Place[],
  unitS: number,
  coding: Coding,
): ClipSample[] {
  let left = bytes.length
  // Units are subtracted and then multiplied, as in FFmpeg: times are the same to the last digit.
  const first = places.reduce((earliest, { timeS }) => Math.min(earliest, timeS), Number.POSITIVE_INFINITY)
  const samples = places.map(({ at, size, decodeS, timeS, durationS }) => {
    left -= size
    demand(size > 0 && left >= 0 && at >= 0 && at + size <= bytes.length)
    return {
      at,
      size,
      decodeS: (decodeS - first) * unitS,
      timeS: (timeS - first) * unitS,
      durationS: durationS * unitS,
      isKey: coding.isKey(bytes.subarray(at, at + size)),
    }
  })
  demand(samples[0]?.isKey)
  return samples
}
