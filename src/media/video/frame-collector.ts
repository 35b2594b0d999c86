/** Splits a stream of raw pixels into pictures, whose times and sizes come from the log. */
import type { RgbaImage, Size } from '../rgba-image.ts'

export interface CollectedPicture extends Size {
  /** Seconds by the clock of the clip. */
  timeS: number
  /** 8-bit RGB `[height,width,3]`: pictures wait here, and alpha would take a quarter of the memory. */
  rgb: Uint8Array
}

/** A picture as the log announces it. */
interface LoggedPicture {
  /** `NaN` if it has no time. */
  timeS: number
  /** Size before it was shrunk. */
  stored: Size
}

interface AwaitedPicture extends CollectedPicture {
  isKept: boolean
}

/** Name of the filter `showinfo` whose lines count: a clip can put anything into other lines. */
export const announcer = 'showinfo@wanted'
const line = new RegExp(`^\\[${announcer} @ \\w+\\] (.*)`)
const unit = /^config in time_base: (\d+)\/(\d+),/
const picture = /^n: *\d+ pts: *(-?\d+|NOPTS) .* s:(\d+)x(\d+) /

/** Pairs pictures and what the log says of them, which arrive separately in the same order. */
export class FrameCollector {
  readonly #shrink: (stored: Size) => Size
  readonly #isWanted: (picture: LoggedPicture) => boolean
  readonly #kept: CollectedPicture[] = []
  readonly #awaited: AwaitedPicture[] = []
  #filled = 0
  #unitS = Number.NaN
  #keptBytes = 0

  /**
   * @param shrink size in the stream of a picture of a stored size
   * @param isWanted asked once for each picture, in their order; others are dropped
   */
  constructor(shrink: (stored: Size) => Size, isWanted: (picture: LoggedPicture) => boolean) {
    this.#shrink = shrink
    this.#isWanted = isWanted
  }

  /** Adds a line of the log. */
  readLog(message: string): void {
    const text = line.exec(message)?.[1] ?? ''
    const [, numerator, denominator] = unit.exec(text) ?? []
    if (denominator !== undefined) this.#unitS = Number(numerator) / Number(denominator)
    const [, pts, width, height] = picture.exec(text) ?? []
    if (height === undefined) return
    const stored = { width: Number(width), height: Number(height) }
    const timeS = Number(pts) * this.#unitS
    const isKept = this.#isWanted({ timeS, stored })
    const size = this.#shrink(stored)
    const rgb = new Uint8Array(isKept ? size.width * size.height * 3 : 0)
    this.#awaited.push({ ...size, timeS, rgb, isKept })
  }

  /** Adds RGB pixels in chunks of any size. */
  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const [next] = this.#awaited
      if (!next) return
      const length = next.width * next.height * 3
      const part = bytes.subarray(at, at + length - this.#filled)
      if (next.isKept) next.rgb.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === length) this.#finish(next)
    }
  }

  #finish({ isKept, ...complete }: AwaitedPicture): void {
    this.#awaited.shift()
    this.#filled = 0
    if (!isKept) return
    this.#kept.push(complete)
    this.#keptBytes += complete.rgb.length
  }

  /** Whether there is a picture, and all of every picture that was announced. */
  get isComplete(): boolean {
    return this.#keptBytes > 0 && this.#awaited.length === 0
  }

  /** Memory of the complete pictures. */
  get keptBytes(): number {
    return this.#keptBytes
  }

  /** The complete pictures so far. */
  pictures(): CollectedPicture[] {
    return this.#kept
  }
}

export function toRgba({ width, height, rgb }: CollectedPicture): RgbaImage {
  const data = new Uint8ClampedArray(width * height * 4)
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) {
    data[to] = rgb[from]!
    data[to + 1] = rgb[from + 1]!
    data[to + 2] = rgb[from + 2]!
    data[to + 3] = 255
  }
  return { width, height, data }
}
