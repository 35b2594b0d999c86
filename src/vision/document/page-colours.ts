import type { Quad } from '../../documents/reading.ts'
import type { RgbaImage } from '../../media/rgba-image.ts'
import { brightness } from '../brightness.ts'
import { findColourRests, type PlacedColour } from '../one-light.ts'

/** The part of the page that all formats have, in widths of the zone from its lower left corner: to the right, and up. */
const part = { from: 0.02, to: 0.52, columns: 64, rows: 32 }
/** With fewer samples nothing is said. */
const samplesMin = 200
/** Brighter samples have lost their colour. */
const whiteMin = 250

/** Samples of the page above the lower edge of its zone; places in widths of the zone. */
function samplePage(
  { data, width, height }: RgbaImage,
  [, , right, left]: Quad,
  scale: number,
): PlacedColour[] {
  const along = { x: (right.x - left.x) * scale, y: (right.y - left.y) * scale }
  const samples: PlacedColour[] = []
  for (let row = 0; row < part.rows; row++)
    for (let column = 0; column < part.columns; column++) {
      const across = (column + 0.5) / part.columns
      const up = part.from + ((part.to - part.from) * (row + 0.5)) / part.rows
      const x = Math.round(left.x * scale + across * along.x + up * along.y)
      const y = Math.round(left.y * scale + across * along.y - up * along.x)
      if (x < 0 || y < 0 || x >= width || y >= height) continue
      const at = (y * width + x) * 4
      const channels = [data[at]!, data[at + 1]!, data[at + 2]!] as const
      if (Math.max(...channels) > whiteMin) continue
      samples.push({ channels, x: across - 0.5, y: up - (part.from + part.to) / 2 })
    }
  return samples
}

/**
 * How much colour a page has besides that of the light on it: what brightness does not explain of the colour values, as a share of the brightness
 * of the paper, at the 95th of 100 samples.
 * @param place of the zone, in pixels of the picture
 * @param scale pixels of the image per pixel of the picture
 * @returns `null` if too little of the page is in the image
 */
export function measurePageColour(image: RgbaImage, place: Quad, scale: number): number | null {
  const samples = samplePage(image, place, scale)
  if (samples.length < samplesMin) return null
  const lumas = samples.map(({ channels }) => brightness(...channels)).toSorted((a, b) => a - b)
  const bright = lumas[Math.floor(lumas.length * 0.9)]!
  if (bright === 0) return null
  const rests = findColourRests(samples, bright).toSorted()
  return rests[Math.floor(rests.length * 0.95)]! / bright
}
