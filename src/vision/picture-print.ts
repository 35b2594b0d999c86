/** A perceptual hash of a whole picture that survives re-encoding and slight resizing. */
import type { RgbaImage } from '../media/rgba-image.ts'
import { brightness } from './brightness.ts'
import type { Pyramid } from './pyramid.ts'

/** Cells along one side. More cells would distinguish encodings of the same picture. */
const side = 16
/** Minimum pixels along one side of a cell, if the picture has them: halving drops an odd last pixel of the last cell. */
const pixelsPerCell = 16

/** The pixels that a cell covers, from `first` on, and their weights. */
interface Span {
  first: number
  shares: Float64Array
}

/** @param real exact length of the picture in pixels of this level, before halving dropped odd pixels */
function computeCoverage(length: number, real: number): Span[] {
  return Array.from({ length: side }, (_, cell) => {
    const [from, to] = [(cell * real) / side, Math.min(length, ((cell + 1) * real) / side)]
    const first = Math.floor(from)
    const shares = Float64Array.from({ length: Math.max(0, Math.ceil(to) - first) }, (_, i) => {
      const index = first + i
      return (Math.min(index + 1, to) - Math.max(index, from)) / (to - from)
    })
    return { first, shares }
  })
}

/** Mean lightness of one cell. Its inner columns have one share, so their colours are added up as whole numbers. */
function measureCell({ data, width }: RgbaImage, rows: Span, { first, shares }: Span): number {
  const last = shares.length - 1
  const shareInside = shares[1] ?? 0
  let sum = 0
  for (let y = 0; y < rows.shares.length; y++) {
    const from = ((rows.first + y) * width + first) * 4
    const to = from + last * 4
    let [red, green, blue] = [0, 0, 0]
    for (let at = from + 4; at < to; at += 4) {
      red += data[at]!
      green += data[at + 1]!
      blue += data[at + 2]!
    }
    let row = brightness(red, green, blue) * shareInside
    row += brightness(data[from]!, data[from + 1]!, data[from + 2]!) * (shares[0] ?? 0)
    if (last > 0) row += brightness(data[to]!, data[to + 1]!, data[to + 2]!) * shares[last]!
    sum += row * rows.shares[y]!
  }
  return sum
}

/** Mean lightness of 16 × 16 equal cells of the upright picture in row-major order, 0…255. The aspect ratio is not kept. */
export function computePicturePrint(pyramid: Pyramid): number[] {
  const { width, height } = pyramid
  const scale = Math.min(width, height) / (side * pixelsPerCell)
  const { image, step } = pyramid.nearest(Math.max(1, scale))
  const columns = computeCoverage(image.width, width / step)
  const rows = computeCoverage(image.height, height / step)
  return rows.flatMap((above) =>
    columns.map((along) => Math.round(measureCell(image, above, along) * 100) / 100),
  )
}
