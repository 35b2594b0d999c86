/** Splits a stream of raw pixels into pictures and assigns times from the log. */
import type { RgbaImage } from '../rgba-image.ts'

export interface TimedImage {
  timeS: number
  image: RgbaImage
}

/** Pairs pictures and times, which arrive separately in the same order. */
export class FrameCollector {
  readonly #width: number
  readonly #height: number
  readonly #images: RgbaImage[] = []
  readonly #timesS: number[] = []
  #filling: Uint8ClampedArray
  #filled = 0

  constructor(width: number, height: number) {
    this.#width = width
    this.#height = height
    this.#filling = new Uint8ClampedArray(width * height * 4)
  }

  /** Adds RGBA pixels in chunks of any size. */
  write(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length) {
      const part = bytes.subarray(at, at + this.#filling.length - this.#filled)
      this.#filling.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === this.#filling.length) this.#finish()
    }
  }

  #finish(): void {
    this.#images.push({ width: this.#width, height: this.#height, data: this.#filling })
    this.#filling = new Uint8ClampedArray(this.#filling.length)
    this.#filled = 0
  }

  /** Adds a line of the log; lines of the filter `showinfo` contain a picture's time. */
  readLog(line: string): void {
    const time = /\bpts_time:\s*(-?[\d.]+)/.exec(line)?.[1]
    if (time !== undefined) this.#timesS.push(Number.parseFloat(time))
  }

  /** The complete pictures so far. */
  frames(): TimedImage[] {
    const count = Math.min(this.#images.length, this.#timesS.length)
    return this.#images.slice(0, count).map((image, index) => ({ image, timeS: this.#timesS[index]! }))
  }
}
