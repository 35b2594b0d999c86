import type { Orientation } from './exif.ts'
import type { RgbaImage } from './rgba-image.ts'

/** Position in the stored picture of the pixel (x, y) of the upright one; `w`, `h` are the stored size. */
const sourcePixel: Record<Orientation, (x: number, y: number, w: number, h: number) => [number, number]> = {
  1: (x, y) => [x, y],
  2: (x, y, w) => [w - 1 - x, y],
  3: (x, y, w, h) => [w - 1 - x, h - 1 - y],
  4: (x, y, _, h) => [x, h - 1 - y],
  5: (x, y) => [y, x],
  6: (x, y, _, h) => [y, h - 1 - x],
  7: (x, y, w, h) => [w - 1 - y, h - 1 - x],
  8: (x, y, w) => [w - 1 - y, x],
}

/** Applies an orientation to a stored picture. Upright pictures are returned unchanged. */
export function orientImage(image: RgbaImage, orientation: Orientation): RgbaImage {
  if (orientation === 1) return image
  const { width: w, height: h } = image
  const [width, height] = orientation >= 5 ? [h, w] : [w, h]
  const from = new Uint32Array(image.data.buffer, image.data.byteOffset, w * h)
  const to = new Uint32Array(width * height)
  const locate = sourcePixel[orientation]
  for (let y = 0; y < height; y++) {
    // Along a row the source position advances by a constant step, so two points determine the whole row.
    const [x0, y0] = locate(0, y, w, h)
    const [x1, y1] = locate(1, y, w, h)
    const step = x1 - x0 + (y1 - y0) * w
    let at = x0 + y0 * w
    for (let x = 0; x < width; x++) {
      to[y * width + x] = from[at]!
      at += step
    }
  }
  return { width, height, data: new Uint8ClampedArray(to.buffer) }
}
