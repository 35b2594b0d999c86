import type { RecaptureHints } from '../../documents/reading.ts'
import type { Pyramid } from '../pyramid.ts'
import { shrinkToSide } from '../resample.ts'

/** The copy that is looked at: noise of the sensor, which has colour, is averaged away. */
const side = 256
/** Difference of a pixel's largest and smallest colour value that is no longer grey, and the share of such pixels in a copy. */
const colourMin = 18
const colouredMax = 0.004

/**
 * Signs that a picture shows a copy of a document. A document always has some colour: of its security print, its paper, or the portrait.
 * Whether it is a screen is not measured: moiré cannot be told from fine security print.
 */
export function findRecaptureHints(pyramid: Pyramid): RecaptureHints {
  const { data, width, height } = shrinkToSide(pyramid, side)
  let coloured = 0
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!]
    if (Math.max(red, green, blue) - Math.min(red, green, blue) >= colourMin) coloured++
  }
  return { isScreen: null, isCopy: coloured <= colouredMax * width * height }
}
