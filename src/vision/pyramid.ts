import type { RgbaImage } from '../media/rgba-image.ts'

/** Halves both sides by averaging 2 × 2 pixels; drops an odd last row or column. */
function halve(image: RgbaImage): RgbaImage {
  const width = image.width >> 1
  const height = image.height >> 1
  const from = image.data
  const data = new Uint8ClampedArray(width * height * 4)
  const stride = image.width * 4
  let to = 0
  for (let y = 0; y < height; y++) {
    let at = y * 2 * stride
    for (let x = 0; x < width; x++) {
      const below = at + stride
      data[to] = (from[at]! + from[at + 4]! + from[below]! + from[below + 4]! + 2) >> 2
      data[to + 1] = (from[at + 1]! + from[at + 5]! + from[below + 1]! + from[below + 5]! + 2) >> 2
      data[to + 2] = (from[at + 2]! + from[at + 6]! + from[below + 2]! + from[below + 6]! + 2) >> 2
      data[to + 3] = 255
      at += 8
      to += 4
    }
  }
  return { width, height, data }
}

/**
 * An image pyramid: the picture and successively halved copies, computed on first use. Downscaling starts from a level that
 * is already close to the target size.
 */
export class Pyramid {
  readonly #levels: RgbaImage[]

  constructor(image: RgbaImage) {
    this.#levels = [image]
  }

  /** The picture itself. */
  get image(): RgbaImage {
    return this.#levels[0]!
  }

  /** The picture halved `level` times, or fewer if it would become empty. */
  #level(level: number): { image: RgbaImage; level: number } {
    while (this.#levels.length <= level) {
      const last = this.#levels.at(-1)!
      if (Math.min(last.width, last.height) < 2) break
      this.#levels.push(halve(last))
    }
    const reached = Math.min(level, this.#levels.length - 1)
    return { image: this.#levels[reached]!, level: reached }
  }

  /**
   * The smallest level that is not smaller than the target size.
   * @param scale pixels of the picture per pixel of the target
   * @returns that level; `step` is the number of pixels of the picture per pixel of the level
   */
  nearest(scale: number): { image: RgbaImage; step: number } {
    const { image, level } = this.#level(Math.max(0, Math.floor(Math.log2(scale) + 1e-9)))
    return { image, step: 2 ** level }
  }
}
