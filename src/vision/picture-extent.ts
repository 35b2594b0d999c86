/** Finds where a picture ends and a border that somebody put around it begins. */
import type { RgbaImage } from '../media/rgba-image.ts'
import { type DetectedFace, moveFace } from './face.ts'
import { type FaceMesh, moveMesh } from './facemesh.ts'
import type { Box } from './geometry.ts'
import { Pyramid } from './pyramid.ts'

/** The longer side at which borders are looked for, at least and up to twice: fine enough for their edge, and quick. */
const lookSide = 160

/** Brightness of a picture, 0…255, from which borders are taken away side by side. */
interface Plane {
  width: number
  height: number
  grey: Float32Array
}

function greyPlane(pyramid: Pyramid): Plane {
  const { width, height, data } = pyramid.nearest(
    Math.max(pyramid.image.width, pyramid.image.height) / lookSide,
  ).image
  const grey = new Float32Array(width * height)
  for (let i = 0, at = 0; i < grey.length; i++, at += 4)
    grey[i] = (data[at]! + 2 * data[at + 1]! + data[at + 2]!) / 4
  return { width, height, grey }
}

const sides = ['left', 'top', 'right', 'bottom'] as const
type Side = (typeof sides)[number]

/** What is left of a plane: whole lines and columns, the last ones not included. */
type Extent = Record<Side, number>

/** An extent as seen from one of its sides: lines along that side, the outermost first. */
interface Lines {
  /** Number of lines, and of places along each. */
  depth: number
  length: number
  at: (line: number, place: number) => number
}

function linesFrom(side: Side, { width, grey }: Plane, { left, top, right, bottom }: Extent): Lines {
  const isAcross = side === 'top' || side === 'bottom'
  const [depth, length] = isAcross ? [bottom - top, right - left] : [right - left, bottom - top]
  const [step, stride] = isAcross ? [width, 1] : [1, width]
  const isFar = side === 'right' || side === 'bottom'
  const start = top * width + left + (isFar ? (depth - 1) * step : 0)
  const inward = isFar ? -step : step
  return { depth, length, at: (line, place) => grey[start + line * inward + place * stride]! }
}

/** A run of places along lines: those beside the face, where no other border can lie. */
interface Band {
  from: number
  to: number
}

/** Mean difference of two lines, in grey levels, up to which the second repeats the first. */
const repeatMax = 0.3

/** Lines that say no more than the line further in: an even border, a replicated edge, black bars. */
function countRepeatedLines({ length, at }: Lines, linesMax: number): number {
  for (let line = 0; line < linesMax; line++) {
    let sum = 0
    for (let place = 0; place < length; place++) sum += Math.abs(at(line, place) - at(line + 1, place))
    if (sum > repeatMax * length) return line
  }
  return linesMax
}

/** Fewer lines are no mirror image that matters. */
const mirrorShareMin = 0.04
/** Mean squared difference to the mirror image, in variances of what is mirrored. */
const mirrorMax = 0.08
/** Variance, in squared grey levels, below which there is nothing to mirror. */
const mirrorVarianceMin = 4

/** Whether lines are the mirror image of those behind an axis, as far as they reach, at some places along them. */
function isMirrored({ depth, at }: Lines, axis: number, shift: number, { from, to }: Band, step: number) {
  const reach = Math.min(axis, depth - axis - shift)
  let [error, spread, count] = [0, 0, 0]
  for (let place = from; place < to; place += step) {
    let [sum, squares] = [0, 0]
    for (let k = 0; k < reach; k++) {
      const outer = at(axis - 1 - k, place)
      error += (outer - at(axis + shift + k, place)) ** 2
      sum += outer
      squares += outer * outer
    }
    spread += squares - (sum * sum) / reach
    count += reach
  }
  return spread > mirrorVarianceMin * count && error < mirrorMax * spread
}

/** The outermost lines that are the mirror image of those further in. */
function countMirroredLines(lines: Lines, linesMax: number, band: Band): number {
  const length = band.to - band.from
  const [few, many] = [Math.max(1, Math.floor(length / 5)), Math.max(1, Math.floor(length / 48))]
  for (let axis = linesMax; axis >= Math.max(4, lines.depth * mirrorShareMin); axis--) {
    // The mirror lies between two lines, or on one.
    for (const shift of [0, 1])
      if (isMirrored(lines, axis, shift, band, few) && isMirrored(lines, axis, shift, band, many)) return axis
  }
  return 0
}

/** Share of the places beside the face at which a straight edge is seen. */
const edgeShareMin = 0.55
/** Grey levels, and multiples of what changes near by, by which an edge stands out at a place. */
const edgeStepMin = 5
const edgeRatioMin = 2
const edgeLinesMin = 2

/** Lines outside the straightest edge, if it is sharper and straighter than things before a camera are. */
function countLinesBeyondEdge({ at }: Lines, linesMax: number, { from, to }: Band): number {
  let best = { line: 0, seen: Math.floor(edgeShareMin * (to - from)) }
  for (let line = linesMax; line >= edgeLinesMin; line--) {
    let seen = 0
    for (let place = from; place < to && seen + to - place > best.seen; place++) {
      const step = Math.abs(at(line, place) - at(line - 2, place))
      if (step <= edgeStepMin) continue
      const outside = Math.abs(at(line - 2, place) - at(Math.max(0, line - 4), place))
      const inside = Math.abs(at(line + 2, place) - at(line, place))
      if (step > edgeRatioMin * Math.max(inside, outside)) seen++
    }
    if (seen > best.seen) best = { line, seen }
  }
  return best.line
}

/** Share of the face's length along which the picture may end within its box, which is never exact. */
const withinFace = 0.1

/** Number of outermost lines that are no picture, at most so many. */
type CountBorderLines = (lines: Lines, linesMax: number, band: Band) => number

const countCopiedLines: CountBorderLines = (lines, linesMax, band) =>
  countRepeatedLines(lines, linesMax) || countMirroredLines(lines, linesMax, band)

/** What is taken away, from all sides each time: borders lie around borders. Behind one edge things of the picture have others. */
const passes: readonly CountBorderLines[] = [
  countCopiedLines,
  countCopiedLines,
  countLinesBeyondEdge,
  countCopiedLines,
  countCopiedLines,
]

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))

/** Moves one side of the extent inward, past what is no picture. */
function moveInward(count: CountBorderLines, side: Side, plane: Plane, extent: Extent, face: Extent): number {
  const isAcross = side === 'top' || side === 'bottom'
  const isFar = side === 'right' || side === 'bottom'
  const lines = linesFrom(side, plane, extent)
  const [start, end] = isAcross ? [face.top, face.bottom] : [face.left, face.right]
  const reach = isFar ? extent[side] - end : start - extent[side]
  // Two lines further in are looked at as well.
  const linesMax = clamp(Math.floor(reach + (end - start) * withinFace), 0, lines.depth - 3)
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

/**
 * Where the picture itself lies in what was sent: without bars and frames of one colour, replicated or mirrored edges, and
 * what lies beyond a rectangle's edge. Networks that see a face with its surroundings judge a border as if it were some. A
 * picture without a border is left whole.
 * @param face box of the face, which is in the picture itself
 * @returns in pixels, at whole ones
 */
export function findPictureExtent(pyramid: Pyramid, face: Box): Box {
  const { width, height } = pyramid.image
  const plane = greyPlane(pyramid)
  const [sx, sy] = [width / plane.width, height / plane.height]
  const box: Extent = {
    left: face.x / sx,
    top: face.y / sy,
    right: (face.x + face.width) / sx,
    bottom: (face.y + face.height) / sy,
  }
  let extent: Extent = { left: 0, top: 0, right: plane.width, bottom: plane.height }
  for (const count of passes)
    for (const side of sides) extent = { ...extent, [side]: moveInward(count, side, plane, extent, box) }
  const [left, top] = [Math.ceil(extent.left * sx), Math.ceil(extent.top * sy)]
  return {
    x: left,
    y: top,
    width: Math.floor(extent.right * sx) - left,
    height: Math.floor(extent.bottom * sy) - top,
  }
}

/** A face in its picture. */
export interface PicturedFace {
  pyramid: Pyramid
  face: DetectedFace
  mesh: FaceMesh
}

/** The same face in the picture itself; the very same where there is no border. */
export function cropBorder(pictured: PicturedFace): PicturedFace {
  const { pyramid, face, mesh } = pictured
  const { image } = pyramid
  const extent = findPictureExtent(pyramid, face.box)
  if (extent.width === image.width && extent.height === image.height) return pictured
  const shift = { x: -extent.x, y: -extent.y }
  return {
    pyramid: new Pyramid(cropImage(image, extent)),
    face: moveFace(face, 1, shift),
    mesh: moveMesh(mesh, shift),
  }
}

function cropImage({ width, data }: RgbaImage, { x, y, ...size }: Box): RgbaImage {
  const cropped = new Uint8ClampedArray(size.width * size.height * 4)
  for (let row = 0; row < size.height; row++) {
    const from = ((y + row) * width + x) * 4
    cropped.set(data.subarray(from, from + size.width * 4), row * size.width * 4)
  }
  return { ...size, data: cropped }
}
