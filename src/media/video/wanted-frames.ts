/** Sizes and times of requested frames. */
import type { Size } from '../rgba-image.ts'
import type { VideoFacts } from './video-decoder.ts'

/** Shrinks a size so that its longer side is at most `sideMax`, keeping the aspect ratio. */
export function fitSize({ width, height }: Size, sideMax: number): Size {
  const scale = Math.min(1, sideMax / Math.max(width, height))
  const side = (length: number) => Math.max(1, Math.round(length * scale))
  return { width: side(width), height: side(height) }
}

/** Selects the requested times inside the used part of the clip; `null` for every picture. */
export function selectUsedTimes(
  timesS: readonly number[] | null,
  { usedDurationS }: VideoFacts,
): readonly number[] | null {
  return timesS === null ? null : timesS.filter((timeS) => timeS < usedDurationS)
}
