/** Finds artificial borders around a picture. */

import { presenceMin } from './clip/track.ts'
import { type DetectedFace, moveFace } from './face.ts'
import { type FaceMesh, moveMesh } from './facemesh.ts'
import type { Box } from './geometry.ts'
import type { Pyramid } from './pyramid.ts'

/** Minimum longer side of the pyramid level in which borders are searched (at most twice as long): fast, and fine enough for edges. */
const lookSide = 160

/** Brightness of a picture `[height,width]`, 0…255. */
interface Plane {
  width: number
  height: number
  grey: Float32Array
  /** Pixels of the picture per pixel of the plane. */
  step: number
}

function greyPlane(pyramid: Pyramid): Plane {
  const { image, step } = pyramid.nearest(Math.max(pyramid.width, pyramid.height) / lookSide)
  const { width, height, data } = image
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height)
  const grey = new Float32Array(width * height)
  for (let i = 0; i < grey.length; i++) {
    const pixel = pixels[i]!
    grey[i] = ((pixel & 255) + ((pixel >> 7) & 510) + ((pixel >> 16) & 255)) / 4
  }
  return { width, height, grey, step }
}

const sides = ['left', 'top', 'right', 'bottom'] as const
type Side = (typeof sides)[number]

/** The remaining part of a plane in whole rows and columns; `right` and `bottom` are exclusive. */
type Extent = Record<Side, number>

/** An extent seen from one of its sides: lines parallel to that side, the outermost first. */
interface Lines {
  /** Number of lines, and number of pixels in each. */
  depth: number
  length: number
  grey: Float32Array
  /** Index of the first pixel, and what to add for the next line and the next pixel: searches read millions of them. */
  start: number
  inward: number
  along: number
}

function linesFrom(side: Side, { width, grey }: Plane, { left, top, right, bottom }: Extent): Lines {
  const isAcross = side === 'top' || side === 'bottom'
  const [depth, length] = isAcross ? [bottom - top, right - left] : [right - left, bottom - top]
  const [step, along] = isAcross ? [width, 1] : [1, width]
  const isFar = side === 'right' || side === 'bottom'
  const start = top * width + left + (isFar ? (depth - 1) * step : 0)
  const inward = isFar ? -step : step
  return { depth, length, grey, start, inward, along }
}

/** A range of positions along the lines: those beside the face, which no other border can overlap. */
interface Band {
  from: number
  to: number
}

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
/** Maximum mean squared difference from the mirror image, relative to the variance of the mirrored lines. */
const mirrorMax = 0.08
/** Variance in squared grey levels below which there is too little structure to detect mirroring. */
const mirrorVarianceMin = 4

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
  if (spread <= mirrorVarianceMin * positions.length * reach) return false
  const errorMax = mirrorMax * spread
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
    if (variance <= mirrorVarianceMin || leastChange < tileChangeMin * variance) continue
    let [line, sum] = [0, 0]
    while (line + period < linesMax) {
      const difference = compare(line, period)
      if (difference > tileLineMax * variance) break
      sum += difference
      line++
    }
    const isLong = line >= Math.max(tileLinesMin, period * tileShareMin)
    if (isLong && sum < mirrorMax * variance * line) return line + period
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
function countLinesBeyondEdge(lines: Lines, linesMax: number, { from, to }: Band): number {
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

/** How far a border may reach into the box of the face, as a share of its length: boxes are not exact. */
const withinFace = 0.1
/** How far the mesh may lie inside the box, likewise: more is a mesh of something else. */
const meshWithinFace = 0.3

/** Counts outermost lines that belong to a border, at most `linesMax`. */
type CountBorderLines = (lines: Lines, linesMax: number, band: Band) => number

const countCopiedLines: CountBorderLines = (lines, linesMax, band) =>
  countRepeatedLines(lines, linesMax) ||
  countTiledLines(lines, linesMax, band) ||
  countMirroredLines(lines, linesMax, band)

/**
 * Passes over all four sides: borders can be nested. Edges are searched only once, because inside a border the picture has
 * edges of its own. Each pass sees the picture that the one before left at a resolution of its own: in a copy that is coarser than
 * that of the picture alone, contours look like edges.
 */
const passes: readonly CountBorderLines[] = [
  countCopiedLines,
  countCopiedLines,
  countLinesBeyondEdge,
  countCopiedLines,
  countCopiedLines,
]

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))

/**
 * The box of a face, and that of its mesh. Detectors take copied hair for a part of the face, so a border may reach up to the mesh
 * where lines show that there is one.
 */
interface Place {
  box: Extent
  mesh: Extent
  /** Sides on which copied lines were removed before. */
  copied: ReadonlySet<Side>
}

/** Moves one side of the extent inward, past the border. */
function moveInward(
  count: CountBorderLines,
  side: Side,
  plane: Plane,
  extent: Extent,
  { box: face, mesh, copied }: Place,
): number {
  const isAcross = side === 'top' || side === 'bottom'
  const isFar = side === 'right' || side === 'bottom'
  const lines = linesFrom(side, plane, extent)
  const [start, end] = isAcross ? [face.top, face.bottom] : [face.left, face.right]
  const upTo = (place: number) => (isFar ? extent[side] - place : place - extent[side])
  const reach = upTo(face[side])
  const isSure = count === countCopiedLines || copied.has(side)
  const deeper = isSure ? clamp(upTo(mesh[side]) - reach, 0, (end - start) * meshWithinFace) : 0
  const most = reach + deeper + (end - start) * withinFace
  // The searches also read two lines further in.
  const linesMax = clamp(Math.floor(most), 0, Math.max(0, lines.depth - 3))
  const [from, to, first] = isAcross
    ? [face.left, face.right, extent.left]
    : [face.top, face.bottom, extent.top]
  const band = {
    from: clamp(Math.floor(from) - first, 0, lines.length),
    to: clamp(Math.ceil(to) - first, 0, lines.length),
  }
  const removed = count(lines, linesMax, band)
  return extent[side] + (isFar ? -removed : removed)
}

/** One pass over the four sides of a picture. */
function searchSides(
  count: CountBorderLines,
  plane: Plane,
  { width, height, grid }: Pyramid,
  place: Place,
): Box {
  const { step } = plane
  let extent: Extent = { left: 0, top: 0, right: plane.width, bottom: plane.height }
  for (const side of sides) extent = { ...extent, [side]: moveInward(count, side, plane, extent, place) }
  // Rounding must not move the end of the picture.
  const right = extent.right === plane.width ? width : extent.right * step
  const bottom = extent.bottom === plane.height ? height : extent.bottom * step
  const { x: left, width: across } = toWhole(extent.left * step, right, width, grid)
  const { x: top, width: down } = toWhole(extent.top * step, bottom, height, grid)
  return { x: left, y: top, width: across, height: down }
}

const toExtent = ({ x, y, width, height }: Box): Extent => ({
  left: x,
  top: y,
  right: x + width,
  bottom: y + height,
})

function boundMesh({ points }: FaceMesh): Extent {
  const [across, down] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  return {
    left: Math.min(...across),
    top: Math.min(...down),
    right: Math.max(...across),
    bottom: Math.max(...down),
  }
}

/** An extent in pixels of a part's plane. */
const toPlane = ({ left, top, right, bottom }: Extent, { x, y }: Part, { step }: Plane): Extent => ({
  left: (left - x) / step,
  top: (top - y) / step,
  right: (right - x) / step,
  bottom: (bottom - y) / step,
})

/** A part of a picture, as a picture of its own, and the place of its upper left corner. */
interface Part {
  own: Pyramid
  x: number
  y: number
  /** Sides on which lines were removed, and those on which enough of them were copies. */
  removed: ReadonlySet<Side>
  copied: ReadonlySet<Side>
}

/** Copied lines that are less than this share of a side are no border that anybody drew: stills of clips often have one or two. */
const copiedShareMin = 0.02

/** The sides on which a box ends before its picture does, by more than a share of the picture's side. */
function openSides({ x, y, ...box }: Box, { width, height }: Pyramid, share: number): Side[] {
  const rims: Extent = { left: x, top: y, right: width - x - box.width, bottom: height - y - box.height }
  return sides.filter((side) => rims[side] > share * (side === 'left' || side === 'right' ? width : height))
}

/** How far the box of a face may stick out of its picture, as a share of its sides, before it is taken for a wrong one. */
const outsideMax = 0.05

/**
 * Whether a border may have moved the box of a face: it surrounded the picture, there were bars on two opposite sides, or the box
 * reaches into it. What only looks like an edge in a photo is rarely on all sides.
 */
function hasMovedBox({ own, x, y, removed, copied }: Part, box: Box): boolean {
  const [across, down] = [box.width * outsideMax, box.height * outsideMax]
  const outside: Record<Side, boolean> = {
    left: box.x - x < -across,
    top: box.y - y < -down,
    right: box.x - x + box.width > own.width + across,
    bottom: box.y - y + box.height > own.height + down,
  }
  return (
    removed.size === sides.length ||
    (copied.has('left') && copied.has('right')) ||
    (copied.has('top') && copied.has('bottom')) ||
    [...copied].some((side) => outside[side])
  )
}

/** Leaves border after border outside. */
function leaveBorders(pyramid: Pyramid, box: Box, mesh?: FaceMesh): Part {
  const face = toExtent(box)
  const core = mesh && mesh.presence >= presenceMin ? boundMesh(mesh) : face
  let part: Part = { own: pyramid, x: 0, y: 0, removed: new Set(), copied: new Set() }
  let plane = greyPlane(pyramid)
  /** Searches that found nothing in the picture as it is now. */
  const vain = new Set<CountBorderLines>()
  for (const count of passes) {
    if (vain.has(count)) continue
    const { own, x, y, removed, copied } = part
    const place = { box: toPlane(face, part, plane), mesh: toPlane(core, part, plane), copied }
    const inner = searchSides(count, plane, own, place)
    const open = openSides(inner, own, 0)
    if (open.length === 0) {
      vain.add(count)
      continue
    }
    vain.clear()
    part = {
      own: own.cropped(inner),
      x: x + inner.x,
      y: y + inner.y,
      removed: new Set([...removed, ...open]),
      copied:
        count === countCopiedLines ? new Set([...copied, ...openSides(inner, own, copiedShareMin)]) : copied,
    }
    plane = greyPlane(part.own)
  }
  return part
}

/**
 * Finds the part of an image that is picture: without uniform bars and frames, replicated or mirrored edges, tiles of one texture,
 * and anything outside a rectangular edge. Networks that see a face with its surroundings would take a border for surroundings.
 * For a picture without a border the result is the whole image.
 * @param face box of the face; it lies inside the picture
 * @returns a box in whole pixels
 */
export function findPictureExtent(pyramid: Pyramid, face: Box): Box {
  const { own, x, y } = leaveBorders(pyramid, face)
  return { x, y, width: own.width, height: own.height }
}

/** The whole multiples of `grid` inside a range; the end of the picture counts as one. */
function toWhole(from: number, to: number, end: number, grid: number): { x: number; width: number } {
  const first = Math.ceil(from / grid) * grid
  const last = to >= end ? end : Math.floor(to / grid) * grid
  return { x: first, width: last - first }
}

/** A face with its picture and mesh. */
export interface PicturedFace {
  pyramid: Pyramid
  face: DetectedFace
  mesh: FaceMesh
}

export interface CroppedFace extends PicturedFace {
  /** Whether the border may have moved the box of the face. */
  hasMovedBox: boolean
}

/** Crops the border of the picture, if there is one, and shifts face and mesh. */
export function cropBorder(pictured: PicturedFace): CroppedFace {
  const { pyramid, face, mesh } = pictured
  const part = leaveBorders(pyramid, face.box, mesh)
  if (part.own === pyramid) return { ...pictured, hasMovedBox: false }
  const shift = { x: -part.x, y: -part.y }
  return {
    pyramid: part.own,
    face: moveFace(face, 1, shift),
    mesh: moveMesh(mesh, shift),
    hasMovedBox: hasMovedBox(part, face.box),
  }
}
