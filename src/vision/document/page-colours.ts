import type { Quad } from '../../documents/reading.ts'
import type { RgbaImage } from '../../media/rgba-image.ts'

/** The part of the page that all formats have, in widths of the zone from its lower left corner: to the right, and up. */
const part = { from: 0.02, to: 0.52, columns: 64, rows: 32 }
/** With fewer samples nothing is said. */
const samplesMin = 200
/** Brighter samples have lost their colour. */
const whiteMin = 250

interface Sample {
  /** Colour values, 0 to 255. */
  readonly channels: readonly [number, number, number]
  readonly luma: number
  /** Place on the page from its middle, in widths of the zone. */
  readonly x: number
  readonly y: number
}

/** Samples of the page above the lower edge of its zone. */
function samplePage({ data, width, height }: RgbaImage, [, , right, left]: Quad, scale: number): Sample[] {
  const along = { x: (right.x - left.x) * scale, y: (right.y - left.y) * scale }
  const samples: Sample[] = []
  for (let row = 0; row < part.rows; row++)
    for (let column = 0; column < part.columns; column++) {
      const across = (column + 0.5) / part.columns
      const up = part.from + ((part.to - part.from) * (row + 0.5)) / part.rows
      const x = Math.round(left.x * scale + across * along.x + up * along.y)
      const y = Math.round(left.y * scale + across * along.y - up * along.x)
      if (x < 0 || y < 0 || x >= width || y >= height) continue
      const at = (y * width + x) * 4
      const channels = [data[at]!, data[at + 1]!, data[at + 2]!] as const
      const [red, green, blue] = channels
      if (Math.max(...channels) > whiteMin) continue
      const luma = 0.299 * red + 0.587 * green + 0.114 * blue
      samples.push({ channels, luma, x: across - 0.5, y: up - (part.from + part.to) / 2 })
    }
  return samples
}

/** Solves linear equations, of which the matrix is symmetric and not negative, by elimination. */
function solve(matrix: readonly Float64Array[], wanted: Float64Array): number[] {
  const size = wanted.length
  const rows = matrix.map((row, i) => {
    const extended = Float64Array.of(...row, wanted[i]!)
    extended[i] = row[i]! * (1 + 1e-6) + 1e-9
    return extended
  })
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) {
      if (i === j) continue
      const share = rows[j]![i]! / rows[i]![i]!
      for (let k = i; k <= size; k++) rows[j]![k]! -= share * rows[i]![k]!
    }
  return rows.map((row, i) => row[size]! / row[i]!)
}

/** Distances of each sample from what its brightness explains, in each channel the best fit: the largest one of the channels. */
function findRests(samples: readonly Sample[], bright: number): Float64Array {
  // Light of one colour multiplies the brightness, a second lamp from the side changes it over the page, a veil adds to it.
  const terms = samples.map(({ luma, x, y }) => [luma, luma * x, luma * y, 0.1 * bright])
  const matrix = [0, 1, 2, 3].map((i) =>
    Float64Array.from([0, 1, 2, 3], (j) => terms.reduce((sum, term) => sum + term[i]! * term[j]!, 0)),
  )
  const rests = new Float64Array(samples.length)
  for (const channel of [0, 1, 2] as const) {
    const wanted = Float64Array.from([0, 1, 2, 3], (i) =>
      terms.reduce((sum, term, at) => sum + term[i]! * samples[at]!.channels[channel], 0),
    )
    const fit = solve(matrix, wanted)
    for (const [at, { channels }] of samples.entries()) {
      const explained = terms[at]!.reduce((sum, term, i) => sum + term * fit[i]!, 0)
      rests[at] = Math.max(rests[at]!, Math.abs(channels[channel] - explained))
    }
  }
  return rests
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
  const lumas = samples.map(({ luma }) => luma).toSorted((a, b) => a - b)
  const bright = lumas[Math.floor(lumas.length * 0.9)]!
  if (bright === 0) return null
  const rests = findRests(samples, bright).toSorted()
  return rests[Math.floor(rests.length * 0.95)]! / bright
}
