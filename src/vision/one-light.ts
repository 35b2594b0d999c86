/** What light of one colour explains of the colours of a picture. */
import { brightness } from './brightness.ts'

/** A colour and its place. */
export interface PlacedColour {
  /** RGB, 0…255. */
  readonly channels: readonly [red: number, green: number, blue: number]
  /** From the middle of the picture, in any unit. */
  readonly x: number
  readonly y: number
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

/**
 * How far each colour is from what its brightness explains: light of one colour multiplies the brightness, a second lamp from the
 * side changes it over the picture, and a veil adds to it. In each channel the best fit; the largest distance of the channels.
 * @param bright a high brightness of the picture, 0…255, more than 0
 * @returns a distance for each colour, in the units of its channels
 */
export function findColourRests(colours: readonly PlacedColour[], bright: number): Float64Array {
  const terms = colours.map(({ channels, x, y }) => {
    const luma = brightness(...channels)
    return [luma, luma * x, luma * y, 0.1 * bright]
  })
  const matrix = [0, 1, 2, 3].map((i) =>
    Float64Array.from([0, 1, 2, 3], (j) => terms.reduce((sum, term) => sum + term[i]! * term[j]!, 0)),
  )
  const rests = new Float64Array(colours.length)
  for (const channel of [0, 1, 2] as const) {
    const wanted = Float64Array.from([0, 1, 2, 3], (i) =>
      terms.reduce((sum, term, at) => sum + term[i]! * colours[at]!.channels[channel], 0),
    )
    const fit = solve(matrix, wanted)
    for (const [at, { channels }] of colours.entries()) {
      const explained = terms[at]!.reduce((sum, term, i) => sum + term * fit[i]!, 0)
      rests[at] = Math.max(rests[at]!, Math.abs(channels[channel] - explained))
    }
  }
  return rests
}
