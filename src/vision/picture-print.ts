/** A small print of a whole picture, to know it again after it was encoded anew or resized a little. */
import { brightness } from './brightness.ts'
import type { Pyramid } from './pyramid.ts'

/** Cells of a print's side. More would tell the codings of one picture apart. */
const side = 16
/** Pixels a side that a cell is averaged from, where the picture has them: halving drops the last odd one of the last cell. */
const pixelsPerCell = 32

/** Which pixels each cell covers, and with what share. */
type Coverage = readonly (readonly { index: number; share: number }[])[]

/** @param real length of the picture in pixels of this level: halving drops the odd last one */
function computeCoverage(length: number, real: number): Coverage {
  return Array.from({ length: side }, (_, cell) => {
    const [from, to] = [(cell * real) / side, Math.min(length, ((cell + 1) * real) / side)]
    const covered: { index: number; share: number }[] = []
    for (let index = Math.floor(from); index < to; index++)
      covered.push({ index, share: (Math.min(index + 1, to) - Math.max(index, from)) / (to - from) })
    return covered
  })
}

/** Lightness of 16 × 16 equal cells of the upright picture, row by row, 0…255; the picture's shape is not kept. */
export function computePicturePrint(pyramid: Pyramid): number[] {
  const { width, height } = pyramid.image
  const scale = Math.min(width, height) / (side * pixelsPerCell)
  const { image, step } = pyramid.nearest(Math.max(1, scale))
  const columns = computeCoverage(image.width, width / step)
  const rows = computeCoverage(image.height, height / step)
  const lightness = (x: number, y: number): number => {
    const at = (y * image.width + x) * 4
    return brightness(image.data[at]!, image.data[at + 1]!, image.data[at + 2]!)
  }
  return rows.flatMap((above) =>
    columns.map((along) => {
      let sum = 0
      for (const y of above) for (const x of along) sum += lightness(x.index, y.index) * x.share * y.share
      return Math.round(sum * 100) / 100
    }),
  )
}
