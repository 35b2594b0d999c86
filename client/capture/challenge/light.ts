/** Colours of the screen, one after another, and when each was really shown. */
import type { ShownColour } from '../../../src/container/format.ts'
import { reasonOf } from '../../retry.ts'

/** Longest time of a soft change. */
const fadeMaxMs = 300
const black = '#000000'

const channelsOf = (colour: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

/** A colour between two others. @param share 0…1 */
export function blend(from: string, to: string, share: number): string {
  const target = channelsOf(to)
  const mixed = channelsOf(from).map((value, i) => Math.round(value + (target[i]! - value) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

/** Share of a soft change after some time: it begins and ends slowly. */
const ease = (share: number): number => (1 - Math.cos(Math.PI * Math.min(1, share))) / 2

/** What to paint some time after a colour has begun. */
export function shadeOf(
  colours: readonly ShownColour[],
  index: number,
  sinceMs: number,
  isSoft: boolean,
): string {
  const { colour, ms } = colours[index]!
  if (!isSoft) return colour
  return blend(colours[index - 1]?.colour ?? black, colour, ease(sinceMs / Math.min(fadeMaxMs, ms)))
}

/** Most screens draw 60 frames a second: what is painted is seen with the next one. */
const frameLengthMs = 16
/** Two frames. After a colour that began later than that all that follows is as much later, so that none is much shorter than drawn. */
const lateMaxMs = 34

interface Showing {
  isSoft: boolean
  paint(colour: string): void
  signal: AbortSignal
}

/**
 * Paints the colours with the frames of the screen, each of them.
 * @returns when each colour appeared, as `performance.now()` tells time: the beginning of the frame after the one that painted it
 * @throws the reason of the signal if it aborts
 */
export function showColours(
  colours: readonly ShownColour[],
  { isSoft, paint, signal }: Showing,
): Promise<[timeMs: number, colour: string][]> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(reasonOf(signal))
    // A hidden page gets no frames.
    const stop = (): void => {
      cancelAnimationFrame(request)
      reject(reasonOf(signal))
    }
    signal.addEventListener('abort', stop, { once: true })
    const shown: [number, string][] = []
    let index = -1
    /** When the current colour was painted, and when the next one is to be seen. */
    let [paintedMs, nextMs] = [0, 0]
    const draw = (frameMs: number): void => {
      if (shown.length === index) {
        const { colour, ms } = colours[index]!
        shown.push([frameMs, colour])
        nextMs = (frameMs - nextMs > lateMaxMs ? frameMs : nextMs) + ms
      }
      if (index < 0 || frameMs >= nextMs - frameLengthMs) {
        index++
        paintedMs = frameMs
        if (index === colours.length) {
          signal.removeEventListener('abort', stop)
          resolve(shown)
          return
        }
      }
      paint(shadeOf(colours, index, frameMs - paintedMs, isSoft))
      request = requestAnimationFrame(draw)
    }
    let request = requestAnimationFrame(draw)
  })
}
