/** A drawn portrait that detectors take for a face: workers assess it before the first caller's picture comes. */
import type { RgbaImage } from '../media/rgba-image.ts'

const [width, height] = [720, 960]
/** Of a pixel of four bytes, the last of which is alpha. */
const opaque = 0xff << 24
/** Number of grey levels by which pixels differ from the even colour. */
const grains = 13
/** A black border above it, which the assessment finds and crops. */
const borderRows = 60

/** An ellipse of one colour; centre and radii in hundredths of the width. */
type Spot = readonly [x: number, y: number, radiusX: number, radiusY: number, colour: readonly number[]]

const [hair, skin, shade, white, iris, lips] = [
  [52, 38, 30],
  [222, 176, 148],
  [186, 136, 112],
  [240, 238, 236],
  [48, 34, 28],
  [178, 84, 84],
] as const

const background: readonly number[] = [168, 176, 180]

/** From the back to the front. */
const spots: readonly Spot[] = [
  [50, 120, 40, 30, [70, 86, 120]],
  [50, 58, 27, 35, hair],
  [50, 98, 10, 16, shade],
  [50, 64, 22, 30, skin],
  [50, 36, 19, 8, hair],
  [40, 53, 6, 1.2, hair],
  [60, 53, 6, 1.2, hair],
  [40, 59, 4.4, 2.2, white],
  [60, 59, 4.4, 2.2, white],
  [40, 59, 2, 2.1, iris],
  [60, 59, 2, 2.1, iris],
  [50, 69, 1.6, 7, shade],
  [50, 74, 4.4, 2, shade],
  [47.8, 75, 1.1, 0.8, iris],
  [52.2, 75, 1.1, 0.8, iris],
  [50, 83, 7.5, 2.4, lips],
  [50, 82.8, 6.5, 0.5, iris],
]

/** The number of the foremost spot at each pixel, 0 for the background. */
function placeSpots(): Uint8Array {
  const numbers = new Uint8Array(width * height)
  const unit = width / 100
  for (const [i, [centreX, centreY, radiusX, radiusY]] of spots.entries())
    for (let y = 0; y < height; y++) {
      const share = 1 - ((y / unit - centreY) / radiusY) ** 2
      if (share <= 0) continue
      const reach = radiusX * Math.sqrt(share)
      const from = Math.ceil((centreX - reach) * unit)
      numbers.fill(i + 1, y * width + from, y * width + Math.floor((centreX + reach) * unit) + 1)
    }
  return numbers
}

/** How much the squared distance from the lamp darkens the pixels of a side, in shares of 2^16. */
const darken = (length: number): Int32Array =>
  Int32Array.from({ length }, (_, i) => 20_000 * (i / length - 0.4) ** 2)

/** Draws it: 720 × 960 pixels, less than the least limit of a picture. In whole numbers, which code that is not compiled yet handles fast. */
export function drawFace(): RgbaImage {
  const pixels = new Int32Array(width * height).fill(opaque, 0, borderRows * width)
  const numbers = placeSpots()
  const colours = [background, ...spots.map(([, , , , colour]) => colour)]
  const [reds, greens, blues] = [0, 1, 2].map((channel) => Int32Array.from(colours, (one) => one[channel]!))
  const [across, down] = [darken(width), darken(height)]
  for (let y = borderRows; y < height; y++) {
    const row = y * width
    const grainStep = (73 + y) % grains
    let grain = (y * 151) % grains
    for (let x = 0; x < width; x++) {
      const light = 65_536 - across[x]! - down[y]!
      const number = numbers[row + x]!
      const shift = grain - (grains >> 1)
      const red = ((reds![number]! * light) >> 16) + shift
      const green = ((greens![number]! * light) >> 16) + shift
      const blue = ((blues![number]! * light) >> 16) + shift
      pixels[row + x] = opaque | (blue << 16) | (green << 8) | red
      grain += grainStep
      if (grain >= grains) grain -= grains
    }
  }
  return { width, height, data: new Uint8ClampedArray(pixels.buffer) }
}
