/** Smooth deformations of a picture: every point moves in x and y by a polynomial of the third degree. */
import { chipSide } from './face-zones.ts'

const terms = 10
/** Number of coefficients of a bend: first those of x, then those of y. */
export const bendSize = 2 * terms

const half = chipSide / 2
const toHalfSides = (index: number): number => (index + 0.5 - half) / half

function computeTerms(): Float32Array {
  const all = new Float32Array(chipSide * chipSide * terms)
  for (let pixel = 0; pixel < chipSide * chipSide; pixel++) {
    const [u, v] = [toHalfSides(pixel % chipSide), toHalfSides(Math.floor(pixel / chipSide))]
    all.set([1, u, v, u * u, u * v, v * v, u ** 3, u * u * v, u * v * v, v ** 3], pixel * terms)
  }
  return all
}

let computedTerms: Float32Array | null = null

/** Polynomial terms at each pixel of the chip, `[64·64,10]`, computed for the first clip. */
function readTerms(): Float32Array {
  computedTerms ??= computeTerms()
  return computedTerms
}

/**
 * Derivatives of a pixel with respect to each coefficient of a bend.
 * @param across derivative with respect to a shift in x by half a side of the chip; `down` is the same for y
 */
export function computeBendSlopes(pixel: number, across: number, down: number): Float32Array {
  const slopes = new Float32Array(bendSize)
  const termsAt = readTerms()
  for (let i = 0; i < terms; i++) {
    const term = termsAt[pixel * terms + i]!
    slopes[i] = across * term
    slopes[terms + i] = down * term
  }
  return slopes
}
