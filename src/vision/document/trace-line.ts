/** Follows a line of print: how it bends, how high it is, where it begins and ends. */
import type { Pyramid } from '../pyramid.ts'
import { blurBox } from './grey-picture.ts'
import { type LinePath, type StripPlan, sampleStrip } from './strip.ts'

/** A line of print in a picture, in pixels of the picture. */
export interface TracedLine {
  path: LinePath
  /** Where the print begins and ends, along the path. */
  from: number
  to: number
  /** Height of capital letters. */
  cap: number
}

/** A line whose course is known roughly. */
export interface RoughLine {
  x: number
  y: number
  dx: number
  dy: number
  isMirrored: boolean
  length: number
  /** Height of the print with its blur. */
  thickness: number
}

/** The strip in which the line is followed: rows and columns per thickness of the line. */
const rowsPerThickness = 12
const columnsPerThickness = 6
const rows = 48
const backgroundRadius = 12
const segments = 9
const margin = 2.5

/** Darkness of print above its surroundings, `[rows · width]`. */
function measureInk(pyramid: Pyramid, plan: StripPlan): Float32Array {
  const { width } = plan
  const data = sampleStrip(pyramid, plan, rows)
  const ink = blurBox({ width, height: rows, data }, backgroundRadius).data
  let sum = 0
  for (let i = 0; i < ink.length; i++) {
    const depth = Math.max(0, ink[i]! - data[i]!)
    sum += depth
    ink[i] = depth
  }
  const usual = sum / ink.length
  for (let i = 0; i < ink.length; i++) ink[i] = Math.max(0, ink[i]! - usual)
  return ink
}

/** Least squares of a parabola through weighted points; a straight line if they are few. */
export function fitParabola(points: readonly { t: number; value: number; weight: number }[]): {
  at: readonly [number, number, number]
} {
  const sums = new Float64Array(5)
  const right = new Float64Array(3)
  for (const { t, value, weight } of points) {
    for (let power = 0; power < 5; power++) sums[power] = sums[power]! + weight * t ** power
    for (let power = 0; power < 3; power++) right[power] = right[power]! + weight * value * t ** power
  }
  const size = points.length >= 4 ? 3 : points.length >= 2 ? 2 : 1
  const matrix = Array.from({ length: size }, (_, row) => [
    ...Array.from({ length: size }, (_, column) => sums[row + column]!),
    right[row]!,
  ])
  for (let pivot = 0; pivot < size; pivot++) {
    const factor = matrix[pivot]![pivot]!
    if (Math.abs(factor) < 1e-9) return { at: [0, 0, 0] }
    for (let row = 0; row < size; row++) {
      if (row === pivot) continue
      const share = matrix[row]![pivot]! / factor
      for (let column = pivot; column <= size; column++)
        matrix[row]![column] = matrix[row]![column]! - share * matrix[pivot]![column]!
    }
  }
  const at = Array.from({ length: 3 }, (_, i) => (i < size ? matrix[i]![size]! / matrix[i]![i]! : 0))
  return { at: [at[0]!, at[1]!, at[2]!] }
}

/** The middle row of the print in each segment, followed from the middle segment to both ends. */
function followMiddles(ink: Float32Array, width: number): { column: number; row: number; weight: number }[] {
  const bounds = Array.from({ length: segments + 1 }, (_, i) => Math.round((i * width) / segments))
  const middle = Math.floor(segments / 2)
  const found: { column: number; row: number; weight: number }[] = []
  const measure = (segment: number, expected: number): number => {
    const [from, to] = [bounds[segment]!, bounds[segment + 1]!]
    let row = expected
    let weight = 0
    for (const half of [9, 7]) {
      const [first, last] = [Math.max(0, Math.round(row - half)), Math.min(rows, Math.round(row + half) + 1)]
      let [sum, moment] = [0, 0]
      for (let y = first; y < last; y++) {
        let value = 0
        for (let x = from; x < to; x++) value += ink[y * width + x]!
        sum += value
        moment += value * (y + 0.5)
      }
      if (sum > 0) row = moment / sum
      weight = sum
    }
    if (weight > 0) found.push({ column: (from + to) / 2, row, weight })
    return weight > 0 ? row : expected
  }
  const start = measure(middle, rows / 2)
  for (const side of [-1, 1])
    for (let segment = middle + side, row = start; segment >= 0 && segment < segments; segment += side)
      row = measure(segment, row)
  return found
}

/** The rows of the print around the middle: where its profile is above a share of its peak. */
function measureRows(ink: Float32Array, width: number): { from: number; to: number } {
  const profile = new Float64Array(rows)
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < width; x++) profile[y] = profile[y]! + ink[y * width + x]!
  const [first, last] = [rows / 2 - 8, rows / 2 + 8]
  const peak = Math.max(...profile.slice(first, last))
  const level = 0.35 * peak
  // Capital letters have a bar at the top and the bottom, and less print between.
  let [from, to] = [rows / 2, rows / 2]
  while (from > 0 && Math.max(profile[from - 1]!, profile[Math.max(0, from - 2)]!) > level) from--
  while (to < rows && Math.max(profile[to]!, profile[Math.min(rows - 1, to + 1)]!) > level) to++
  const share = (inner: number, outer: number) => (inner > outer ? (inner - level) / (inner - outer) : 0)
  const top = from > 0 ? share(profile[from]!, profile[from - 1]!) : 0
  const bottom = to < rows ? share(profile[to - 1]!, profile[to]!) : 0
  return { from: from + 0.5 - Math.min(1, top), to: to - 0.5 + Math.min(1, bottom) }
}

/** The columns with print, from the middle outwards over gaps of up to `gapMax` columns. */
function measureColumns(
  ink: Float32Array,
  width: number,
  span: { from: number; to: number },
  gapMax: number,
): { from: number; to: number } | null {
  const profile = new Float64Array(width)
  const [first, last] = [Math.max(0, Math.floor(span.from)), Math.min(rows, Math.ceil(span.to))]
  for (let y = first; y < last; y++)
    for (let x = 0; x < width; x++) profile[x] = profile[x]! + ink[y * width + x]!
  const sorted = profile.toSorted()
  const level = 0.2 * sorted[Math.floor(width * 0.6)]!
  if (level === 0) return null
  let best = { from: 0, to: 0 }
  let current: { from: number; to: number } | null = null
  for (let x = 0; x < width; x++) {
    if (profile[x]! < level) continue
    if (current && x - current.to <= gapMax) current.to = x + 1
    else current = { from: x, to: x + 1 }
    if (current.to - current.from > best.to - best.from) best = current
  }
  return best
}

/**
 * Follows a line whose course is known roughly.
 * @returns `null` if there is no print
 */
export function traceLine(pyramid: Pyramid, rough: RoughLine): TracedLine | null {
  const { thickness, isMirrored } = rough
  const columnStep = thickness / columnsPerThickness
  const rowStep = thickness / rowsPerThickness
  const width = Math.max(segments * 2, Math.round((rough.length + 2 * margin * thickness) / columnStep))
  const along = [(-width / 2) * columnStep, columnStep, 0] as const
  let path: LinePath = { ...rough, bend: [0, 0, 0], isMirrored }
  for (let round = 0; round < 2; round++) {
    const ink = measureInk(pyramid, { path, along, rowStep, width })
    const middles = followMiddles(ink, width)
    const { at } = fitParabola(
      middles.map(({ column, row, weight }) => ({
        t: along[0] + column * columnStep,
        value: (row - rows / 2) * rowStep,
        weight,
      })),
    )
    const { bend } = path
    path = { ...path, bend: [bend[0] + at[0], bend[1] + at[1], bend[2] + at[2]] }
  }
  const ink = measureInk(pyramid, { path, along, rowStep, width })
  const high = measureRows(ink, width)
  const wide = measureColumns(ink, width, high, 3 * columnsPerThickness)
  if (!wide) return null
  const shift = ((high.from + high.to - rows) / 2) * rowStep
  const [first, ...rest] = path.bend
  return {
    path: { ...path, bend: [first + shift, ...rest] },
    from: along[0] + wide.from * columnStep,
    to: along[0] + wide.to * columnStep,
    cap: Math.max(1, (high.to - high.from) * rowStep),
  }
}
