/** Follows print that leaves its path, as at a fold: by how many rows each column of a strip has to be moved. */
import type { Pyramid } from '../pyramid.ts'
import { blurBox } from './grey-picture.ts'
import { pitch, type StripPlan, sampleStrip } from './strip.ts'

const rows = 52
const backgroundRadius = 12
/** Columns that are measured together, and number of such blocks on each side whose print counts too: three characters. */
const block = pitch / 2
const blocksBeside = 3
/** Rows on each side of the middle that may hold the line: first of the path, then of the print. */
const reaches = [16, 13]
const shiftMax = 8

/** @returns rows per column of the strip */
export function followPrint(pyramid: Pyramid, { shifts: _, ...plan }: StripPlan): Float32Array {
  const { width } = plan
  const data = sampleStrip(pyramid, plan, rows)
  const background = blurBox({ width, height: rows, data }, backgroundRadius)
  const blocks = Math.ceil(width / block)
  const sums = new Float64Array(blocks * rows)
  let whole = 0
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < width; column++) {
      const depth = Math.max(0, background.data[row * width + column]! - data[row * width + column]!)
      const at = Math.floor(column / block) * rows + row
      sums[at] = sums[at]! + depth
      whole += depth
    }
  const usual = whole / sums.length
  const shifts = Array.from({ length: blocks }, (_, place) => {
    let middle = rows / 2
    for (const reach of reaches) {
      let [weight, moment] = [0, 0]
      const [first, last] = [Math.max(0, place - blocksBeside), Math.min(blocks, place + blocksBeside + 1)]
      for (let row = Math.max(0, Math.round(middle - reach)); row < Math.min(rows, middle + reach); row++)
        for (let other = first; other < last; other++) {
          const ink = Math.max(0, sums[other * rows + row]! - usual)
          weight += ink
          moment += ink * (row + 0.5)
        }
      if (weight > 0) middle = moment / weight
    }
    return Math.max(-shiftMax, Math.min(shiftMax, middle - rows / 2))
  })
  return Float32Array.from({ length: width }, (_, column) => {
    const place = Math.max(0, Math.min(blocks - 1, (column + 0.5) / block - 0.5))
    const [before, share] = [Math.floor(place), place - Math.floor(place)]
    return shifts[before]! * (1 - share) + shifts[Math.min(blocks - 1, before + 1)]! * share
  })
}
