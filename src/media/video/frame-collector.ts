/** Cuts a stream of raw pixels into pictures, and gives each its time as the log tells it. */
import type { RgbaImage } from '../rgba-image.ts'

export interface TimedImage {
  timeS: number
  image: RgbaImage
}

/** Pictures and times come on two ways, in the same order, and are paired here. */
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

  /** Takes RGBA pixels, cut anywhere. */
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

  /** Takes a line of the log; those of the filter `showinfo` tell a picture's time. */
  readLog(line: string): void {
    const time = /\bpts_time:\s*(-?[\d.]+)/.exec(line)?.[1]
    if (time !== undefined) this.#timesS.push(Number.parseFloat(time))
  }

  /** What came so far. */
  frames(): TimedImage[] {
    const count = Math.min(this.#images.length, this.#timesS.length)
    return this.#images.slice(0, count).map((image, index) => ({ image, timeS: this.#timesS[index]! }))
  }
}
