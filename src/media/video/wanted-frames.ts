/** Which pictures are wanted, and how large. */
import type { VideoFacts } from './video-decoder.ts'

interface Size {
  width: number
  height: number
}

/** The size at which a picture's longer side is at most `sideMax`, its shape kept. Never larger than it was. */
export function fitSize({ width, height }: Size, sideMax: number): Size {
  const scale = Math.min(1, sideMax / Math.max(width, height))
  const side = (length: number) => Math.max(1, Math.round(length * scale))
  return { width: side(width), height: side(height) }
}

/** The wanted times that lie in the part of the clip that is used; `null` for every picture. */
export function selectUsedTimes(
  timesS: readonly number[] | null,
  { usedDurationS }: VideoFacts,
): readonly number[] | null {
  return timesS === null ? null : timesS.filter((timeS) => timeS < usedDurationS)
}
