/** A drawn portrait that detectors take for a face: workers assess it before the first caller's picture comes. */
import type { RgbaImage } from '../media/rgba-image.ts'

const [width, height] = [960, 1280]
/** A black border above it, which the assessment finds and crops. */
const borderRows = 80

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

/** Draws it: 960 × 1280 pixels. */
export function drawFace(): RgbaImage {
  const data = new Uint8ClampedArray(width * height * 4)
  const numbers = placeSpots()
  const colours = [background, ...spots.map(([, , , , colour]) => colour)]
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += 4) {
      data[at + 3] = 255
      if (y < borderRows) continue
      const [across, down] = [x / width - 0.4, y / height - 0.4]
      const light = 1 - 0.25 * Math.sqrt(across * across + down * down)
      const colour = colours[numbers[at / 4]!]!
      const grain = ((x * 73 + y * 151 + x * y) % 13) - 6
      for (let channel = 0; channel < 3; channel++) data[at + channel] = colour[channel]! * light + grain
    }
  return { width, height, data }
}
