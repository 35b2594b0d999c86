/** Tells the outermost lines of a picture that belong to a border: copies of lines further in, and what lies outside an edge. */

/** A picture seen from one of its sides: lines parallel to that side, the outermost first. */
export interface Lines {
  /** Number of lines, and number of pixels in each. */
  depth: number
  length: number
  /** Brightness `[height,width]`, 0…255. */
  grey: Float32Array
  /** Index of the first pixel, and what to add for the next line and the next pixel: searches read millions of them. */
  start: number
  inward: number
  along: number
}

/** A range of positions along the lines: those beside the face, which no other border can overlap. */
interface Band {
  from: number
  to: number
}

/** Counts outermost lines that belong to a border, at most `linesMax`. */
export type CountBorderLines = (lines: Lines, linesMax: number, band: Band) => number

/** Mean difference of two lines in grey levels up to which they count as equal. */
const repeatMax = 0.3

/** Counts the outermost lines that equal the next inner line: uniform borders, replicated edges, black bars. */
function countRepeatedLines({ length, grey, start, inward, along }: Lines, linesMax: number): number {
  for (let line = 0; line < linesMax; line++) {
    let sum = 0
    let at = start + line * inward
    for (let place = 0; place < length; place++, at += along) sum += Math.abs(grey[at]! - grey[at + inward]!)
    if (sum > repeatMax * length) return line
  }
  return linesMax
}

/** Minimum size of a mirrored border, as a share of the depth. */
const mirrorShareMin = 0.04
/** Maximum mean squared difference of copied lines, mirrored or repeated, relative to the variance of the lines. */
const copyErrorMax = 0.08
/** Variance in squared grey levels below which there is too little structure to tell copies. */
const structureMin = 4

/** Values of the outermost lines at some positions: sums and sums of squares, for each position by number of lines. */
interface LineSums {
  positions: readonly number[]
  /** From the sums of a position to those of the next. */
  stride: number
  sums: Float64Array
  squares: Float64Array
}

/** Sums lines at every `step`-th position of a band. The values are multiples of a quarter, so no sum is rounded. */
function sumLines(
  { grey, start, inward, along }: Lines,
  linesMax: number,
  band: Band,
  step: number,
): LineSums {
  const positions: number[] = []
  for (let position = band.from; position < band.to; position += step) positions.push(position)
  const stride = linesMax + 1
  const sums = new Float64Array(positions.length * stride)
  const squares = new Float64Array(positions.length * stride)
  for (const [i, position] of positions.entries()) {
    let at = start + position * along
    for (let line = 0, to = i * stride; line < linesMax; line++, to++, at += inward) {
      const value = grey[at]!
      sums[to + 1] = sums[to]! + value
      squares[to + 1] = squares[to]! + value * value
    }
  }
  return { positions, stride, sums, squares }
}

/** Sum of the squared deviations of the lines outside an axis, from their mean at each position. */
function spreadBefore(axis: number, reach: number, { positions, stride, sums, squares }: LineSums): number {
  let spread = 0
  for (let i = 0; i < positions.length; i++) {
    const [from, to] = [i * stride + axis - reach, i * stride + axis]
    const sum = sums[to]! - sums[from]!
    spread += squares[to]! - squares[from]! - (sum * sum) / reach
  }
  return spread
}

/** Whether the lines outside an axis mirror those inside it, at the positions of the sums. */
function isMirrored(
  { depth, grey, start, inward, along }: Lines,
  axis: number,
  shift: number,
  known: LineSums,
): boolean {
  const { positions } = known
  const reach = Math.min(axis, depth - axis - shift)
  const spread = spreadBefore(axis, reach, known)
  if (spread <= structureMin * positions.length * reach) return false
  const errorMax = copyErrorMax * spread
  let error = 0
  for (const position of positions) {
    let out = start + (axis - 1) * inward + position * along
    let within = out + (1 + shift) * inward
    for (let k = 0; k < reach; k++, out -= inward, within += inward) {
      const difference = grey[out]! - grey[within]!
      error += difference * difference
      // Most axes are refused within a few lines.
      if (error >= errorMax) return false
    }
  }
  return true
}

/** Counts the outermost lines that mirror the lines further in. */
function countMirroredLines(lines: Lines, linesMax: number, band: Band): number {
  const length = band.to - band.from
  const few = sumLines(lines, linesMax, band, Math.max(1, Math.floor(length / 5)))
  let many: LineSums | null = null
  for (let axis = linesMax; axis >= Math.max(4, lines.depth * mirrorShareMin); axis--) {
    // The axis lies between two lines (0) or on a line (1).
    for (const shift of [0, 1]) {
      if (!isMirrored(lines, axis, shift, few)) continue
      many ??= sumLines(lines, linesMax, band, Math.max(1, Math.floor(length / 48)))
      if (isMirrored(lines, axis, shift, many)) return axis
    }
  }
  return 0
}

/** Minimum and maximum number of lines after which a texture repeats. */
const [periodMin, periodMax] = [2, 64]
/** Minimum number of lines that repeat, also as a share of the period. */
const tileLinesMin = 8
const tileShareMin = 0.33
/** Maximum mean squared difference of one line from the one a period further in, relative to the variance of the texture. */
const tileLineMax = 0.5
/**
 * Minimum mean squared difference of neighbouring lines, and of neighbouring positions, relative to the variance: neither smooth
 * surroundings nor stripes, such as blinds, are a texture.
 */
const tileChangeMin = 0.25

/** Mean squared difference of neighbouring positions of a line. */
function compareAlong(
  { length, grey, start, inward, along }: Lines,
  line: number,
  positions: readonly number[],
): number {
  let sum = 0
  for (const position of positions) {
    const at = start + line * inward + position * along
    if (position + 1 < length) sum += (grey[at]! - grey[at + along]!) ** 2
  }
  return sum / positions.length
}

/**
 * Counts the outermost lines of a fine texture whose lines come again a period further in. Beside such a texture no edge can be
 * seen: it is full of them.
 */
function countTiledLines(lines: Lines, linesMax: number, band: Band): number {
  const { grey, start, inward, along } = lines
  const known = sumLines(lines, linesMax, band, Math.max(1, Math.floor((band.to - band.from) / 12)))
  const { positions } = known
  /** Mean squared difference of a line from one further in. */
  const compare = (line: number, period: number) => {
    let sum = 0
    for (const position of positions) {
      const at = start + line * inward + position * along
      sum += (grey[at]! - grey[at + period * inward]!) ** 2
    }
    return sum / positions.length
  }
  let [inwardChange, alongChange] = [0, 0]
  for (let line = 0; line < Math.min(tileLinesMin, linesMax); line++) {
    inwardChange += compare(line, 1) / tileLinesMin
    alongChange += compareAlong(lines, line, positions) / tileLinesMin
  }
  const leastChange = Math.min(inwardChange, alongChange)
  for (let period = periodMin; period <= Math.min(periodMax, linesMax - tileLinesMin); period++) {
    const variance = spreadBefore(period, period, known) / (period * positions.length)
    if (variance <= structureMin || leastChange < tileChangeMin * variance) continue
    let [line, sum] = [0, 0]
    while (line + period < linesMax) {
      const difference = compare(line, period)
      if (difference > tileLineMax * variance) break
      sum += difference
      line++
    }
    const isLong = line >= Math.max(tileLinesMin, period * tileShareMin)
    if (isLong && sum < copyErrorMax * variance * line) return line + period
  }
  return 0
}

/** Minimum share of the positions beside the face at which a straight edge is visible. */
const edgeShareMin = 0.55
/** Minimum height of an edge, in grey levels and as a multiple of the changes nearby. */
const edgeStepMin = 5
const edgeRatioMin = 2
const edgeLinesMin = 2

/** An edge is seen from two lines: the outer one is at it if nearly as much is seen from there. */
const sameEdge = 0.9

/** Counts the lines outside the straightest edge, if it is sharper and straighter than edges of real objects. */
export const countLinesBeyondEdge: CountBorderLines = (lines, linesMax, { from, to }) => {
  const { grey, start, inward, along } = lines
  const at = (line: number, place: number) => grey[start + line * inward + place * along]!
  /** The number of positions at which the edge is seen from a line, if it can be more than `least`. */
  const count = (line: number, least: number) => {
    let seen = 0
    for (let place = from; place < to && seen + to - place > least; place++) {
      const step = Math.abs(at(line, place) - at(line - 2, place))
      if (step <= edgeStepMin) continue
      const outside = Math.abs(at(line - 2, place) - at(Math.max(0, line - 4), place))
      const inside = Math.abs(at(line + 2, place) - at(line, place))
      if (step > edgeRatioMin * Math.max(inside, outside)) seen++
    }
    return seen
  }
  let best = { line: 0, seen: Math.floor(edgeShareMin * (to - from)) }
  for (let line = linesMax; line >= edgeLinesMin; line--) {
    const seen = count(line, best.seen)
    if (seen > best.seen) best = { line, seen }
  }
  const { line, seen } = best
  return line > edgeLinesMin && count(line - 1, sameEdge * seen) >= sameEdge * seen ? line - 1 : line
}

/** Lines that repeat or mirror others, or are tiles of one texture. */
export const countCopiedLines: CountBorderLines = (lines, linesMax, band) =>
  countRepeatedLines(lines, linesMax) ||
  countTiledLines(lines, linesMax, band) ||
  countMirroredLines(lines, linesMax, band)

/** Minimum number of streaked lines. */
const streakLinesMin = 6
/** Minimum squared difference of neighbouring lines, relative to that of white noise of the same variance. */
const whitenessMin = 0.6
/** Minimum squared difference of neighbouring positions in the mean of the lines, relative to that of the noise alone. */
const streakMin = 4

/**
 * Counts the outermost lines that differ by noise alone, and have something in common that no noise averages out: a replicated edge
 * to which noise was added. Walls, curtains and door frames look alike, but not on all sides of a picture.
 */
export const countStreakedLines: CountBorderLines = (lines, linesMax, band) => {
  const { grey, start, inward, along } = lines
  const known = sumLines(lines, linesMax, band, Math.max(1, Math.floor((band.to - band.from) / 48)))
  const { positions, stride, sums } = known
  /** Sums of the squared differences of neighbouring lines, by number of lines. */
  const changes = new Float64Array(linesMax + 1)
  for (let line = 1; line < linesMax; line++) {
    let change = 0
    for (const position of positions) {
      const at = start + line * inward + position * along
      change += (grey[at]! - grey[at - inward]!) ** 2
    }
    changes[line + 1] = changes[line]! + change
  }
  for (let count = linesMax; count >= streakLinesMin; count--) {
    const variance = spreadBefore(count, count, known) / (count * positions.length)
    const change = changes[count]! / ((count - 1) * positions.length)
    if (change < whitenessMin * 2 * variance) continue
    let streaks = 0
    for (let i = 1; i < positions.length; i++)
      streaks += ((sums[i * stride + count]! - sums[(i - 1) * stride + count]!) / count) ** 2
    const noise = (2 * variance) / count
    if (streaks / (positions.length - 1) > streakMin * noise) return count
  }
  return 0
}
