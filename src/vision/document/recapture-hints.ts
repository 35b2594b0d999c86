import type { MrzReading, RecaptureHints } from '../../documents/reading.ts'
import type { RgbaImage } from '../../media/rgba-image.ts'
import type { Pyramid } from '../pyramid.ts'
import { shrinkToSide } from '../resample.ts'
import { measurePageColour } from './page-colours.ts'

/** The copy that is looked at: noise of the sensor, which has colour, is averaged away. */
const side = 256
/** Difference of a pixel's largest and smallest colour value that is no longer grey, and the share of such pixels in a grey picture. */
const colourMin = 18
const colouredMax = 0.004
/** Colour of pages: of copies, and of documents (`tools/accuracy/documents/render-hints.py`, seed 1). Between both nothing is said. */
const copyMax = 0.018
const originalMin = 0.045

/** Whether the whole picture has no colour. */
function isGrey({ data, width, height }: RgbaImage): boolean {
  let coloured = 0
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!]
    if (Math.max(red, green, blue) - Math.min(red, green, blue) >= colourMin) coloured++
  }
  return coloured <= colouredMax * width * height
}

/**
 * Whether the document has no colour besides that of the light, as photocopies have none. Without a zone nothing tells the
 * document from what lies around it, so that only a picture without any colour counts.
 */
function isCopy(pyramid: Pyramid, zone: MrzReading | undefined): boolean | null {
  const image = shrinkToSide(pyramid, side)
  if (isGrey(image)) return true
  // The place of a mirrored zone does not tell on which side of it the page lies.
  const colour =
    zone && !zone.isMirrored ? measurePageColour(image, zone.place, image.width / pyramid.width) : null
  if (colour === null) return null
  if (colour <= copyMax) return true
  return colour >= originalMin ? false : null
}

/**
 * Signs that a picture shows a copy of a document. Whether it is a screen is not measured: moiré cannot be told from fine security print.
 * @param zone the machine-readable zone of the document
 */
export const findRecaptureHints = (pyramid: Pyramid, zone: MrzReading | undefined): RecaptureHints => ({
  isScreen: null,
  isCopy: isCopy(pyramid, zone),
})
