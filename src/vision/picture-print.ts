/** A perceptual hash of a whole picture that survives re-encoding and slight resizing. */
import { brightness } from './brightness.ts'
import type { Pyramid } from './pyramid.ts'

/** Cells along one side. More cells would distinguish encodings of the same picture. */
const side = 16
/** Minimum pixels along one side of a cell, if the picture has them: halving drops an odd last pixel of the last cell. */
const pixelsPerCell = 32

/** The pixels that each cell covers, and their weights. */
type Coverage = readonly (readonly { index: number; share: number }[])[]

/** @param real exact length of the picture in pixels of this level, before halving dropped odd pixels */
function computeCoverage(length: number, real: number): Coverage {
  return Array.from({ length: side }, (_, cell) => {
    const [from, to] = [(cell * real) / side, Math.min(length, ((cell + 1) * real) / side)]
    const covered: { index: number; share: number }[] = []
    for (let index = Math.floor(from); index < to; index++)
      covered.push({ index, share: (Math.min(index + 1, to) - Math.max(index, from)) / (to - from) })
    return covered
  })
}

/** Mean lightness of 16 × 16 equal cells of the upright picture in row-major order, 0…255. The aspect ratio is not kept. */
export function computePicturePrint(pyramid: Pyramid): number[] {
  const { width, height } = pyramid
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
