import type { RgbaImage } from '../../src/media/rgba-image.ts'
import { orientationAfterTurns } from '../../src/vision/detect.ts'
import { toPyramid } from '../../test/fixtures/codecs.ts'

/** Turns a picture clockwise, as an assessment says that its face needs: boxes of faces refer to the turned picture. */
export const turnUpright = (image: RgbaImage, quarterTurns: number): RgbaImage =>
  quarterTurns === 0 ? image : toPyramid(image).turned(orientationAfterTurns[quarterTurns]!).image
