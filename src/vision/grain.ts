/** Noise and compression of a face, at the picture's own resolution. */
import type { RgbaImage } from '../media/rgba-image.ts'
import type { Box } from './geometry.ts'
import type { Pyramid, Window } from './pyramid.ts'

interface Grain {
  /** Standard deviation of the pixel noise in smooth parts of the face, in grey levels of 255. */
  noise: number
  /**
   * Ratio of pixel differences at the borders of 8 × 8 blocks to those inside: about 1 for light compression, 2.2 for JPEG
   * quality 25, 4.5 for 8.
   */
  blockiness: number
}

const noiseWindow = 8
/** Large faces are sampled: about so many windows. */
const noiseWindowsMax = 256
/** Standard deviation of white noise per unit of the difference-of-Laplacians mask below (Immerkær 1996). */
const noiseMaskGain = 6

/** The part of a face's box without hair and background. */
const innerFrom = 0.15
const innerTo = 0.85

const lowerQuartile = (values: number[]): number =>
  Float64Array.from(values).sort()[Math.floor(values.length / 4)] ?? 0

/** Index of the green of a pixel of the level, which the window contains. */
const greenAt = ({ image, left, top }: Window, x: number, y: number): number =>
  ((y - top) * image.width + x - left) * 4 + 1

/**
 * Noise from a mask that straight edges do not excite (Immerkær, "Fast Noise Variance Estimation", 1996), at the
 * picture's own resolution, as the lower quartile over small windows: smooth skin counts, hair does not.
 */
function measureNoise(part: Window, box: Box): number {
  const left = Math.max(1, Math.floor(box.x + box.width * innerFrom))
  const top = Math.max(1, Math.floor(box.y + box.height * innerFrom))
  const right = Math.min(part.level.width - 1, Math.ceil(box.x + box.width * innerTo))
  const bottom = Math.min(part.level.height - 1, Math.ceil(box.y + box.height * innerTo))
  const step = Math.max(
    noiseWindow,
    Math.floor(Math.sqrt(((right - left) * (bottom - top)) / noiseWindowsMax)),
  )
  const deviations: number[] = []
  for (let y = top; y + noiseWindow <= bottom; y += step) {
    for (let x = left; x + noiseWindow <= right; x += step)
      deviations.push(measureWindowNoise(part.image, greenAt(part, x, y)))
  }
  return lowerQuartile(deviations)
}

/** @param first index of the green of the window's first pixel */
function measureWindowNoise({ data, width }: RgbaImage, first: number): number {
  const row = width * 4
  let sum = 0
  for (let y = 0; y < noiseWindow; y++) {
    const middle = first + y * row
    // The mask is the second difference down of the second differences across: those of a column serve three pixels.
    const bend = (at: number) => data[at - row]! - 2 * data[at]! + data[at + row]!
    let [before, here] = [bend(middle - 4), bend(middle)]
    for (let at = middle + 4; at <= middle + noiseWindow * 4; at += 4) {
      const after = bend(at)
      sum += Math.abs(before - 2 * here + after)
      before = here
      here = after
    }
  }
  return ((sum / noiseWindow ** 2) * Math.sqrt(Math.PI / 2)) / noiseMaskGain
}

const blockSide = 8
/** Approximate number of pixels that are examined in each direction; large faces are sampled. */
const blockPixels = 24_000

/** Distance of seams in a part without any: larger than every side. */
const seamless = 2 ** 30

/** Sum and number of some pixel differences. */
interface Differences {
  sum: number
  count: number
}

/**
 * Differences of pixels and those before them at every `stepX`-th column and every `stepY`-th row of a box.
 * @param before what to subtract from the index of a pixel for the one before it
 */
function addDifferences(
  part: Window,
  { left, top, right, bottom }: { left: number; top: number; right: number; bottom: number },
  [stepX, stepY]: readonly [x: number, y: number],
  before: number,
): Differences {
  const { data } = part.image
  const columns = Math.max(0, Math.ceil((right - left) / stepX))
  const rows = Math.max(0, Math.ceil((bottom - top) / stepY))
  let sum = 0
  for (let row = 0; row < rows; row++) {
    let at = greenAt(part, left, top + row * stepY)
    for (let column = 0; column < columns; column++, at += stepX * 4)
      sum += Math.abs(data[at]! - data[at - before]!)
  }
  return { sum, count: columns * rows }
}

const toMultiple = (place: number, of: number): number => Math.ceil(place / of) * of

/** @param seam distance of columns and rows whose predecessor is not their neighbour in the picture, whole blocks */
function measureBlockinessAlong(part: Window, box: Box, isAcross: boolean, seam: number): number {
  const { image, level } = part
  const area = {
    left: Math.max(1, Math.floor(box.x)),
    top: Math.max(1, Math.floor(box.y)),
    right: Math.min(level.width, Math.ceil(box.x + box.width)),
    bottom: Math.min(level.height, Math.ceil(box.y + box.height)),
  }
  const pixels = (area.right - area.left) * (area.bottom - area.top)
  // Odd, as lines with the same place in all blocks are not like the others.
  const between = Math.max(0, Math.floor(pixels / blockPixels)) | 1
  /** Of the lines whose place is a multiple of a number. */
  const add = (of: number): Differences =>
    isAcross
      ? addDifferences(part, { ...area, left: toMultiple(area.left, of) }, [of, between], 4)
      : addDifferences(part, { ...area, top: toMultiple(area.top, of) }, [between, of], image.width * 4)
  const [all, blocks, seams] = [add(1), add(blockSide), add(seam)]
  const [borders, insides] = [blocks.count - seams.count, all.count - blocks.count]
  if (borders === 0 || insides === 0) return 1
  return (blocks.sum - seams.sum) / borders / ((all.sum - blocks.sum) / insides + evenness)
}

/** Grey levels added to the divisor, so that a uniform surface does not count as blocky. */
const evenness = 0.2

/** Compression blocks show in both directions, stripes in one only. */
const measureBlockiness = (part: Window, box: Box, seam: number): number =>
  Math.min(measureBlockinessAlong(part, box, true, seam), measureBlockinessAlong(part, box, false, seam))

/** Larger faces of pictures that are not decoded are sampled in cells of three blocks, this number along each side. */
const wholeSideMax = 1024
const cellsAlong = 20
const cellSide = 3 * blockSide

/** The columns or rows of cells that are spread over a part of a picture. */
function spreadCells(from: number, length: number, size: number): Int32Array {
  const [start, end] = [Math.max(0, from), Math.min(size, from + length)]
  const starts = Array.from({ length: cellsAlong }, (_, cell) => {
    const place = Math.floor(start + (cell * (end - start - cellSide)) / (cellsAlong - 1))
    return place - (place % blockSide)
  })
  return Int32Array.from(starts.flatMap((first) => Array.from({ length: cellSide }, (_, i) => first + i)))
}

/** Measures the cells of a face alone. */
function measureCells(pyramid: Pyramid, box: Box): Grain {
  const image = pyramid.pick(
    spreadCells(box.x, box.width, pyramid.width),
    spreadCells(box.y, box.height, pyramid.height),
  )
  const inner = Array.from({ length: cellsAlong }, (_, cell) => cell).filter(
    (cell) => cell >= cellsAlong * innerFrom && cell < cellsAlong * innerTo,
  )
  const middle = (cell: number) => cell * cellSide + blockSide
  const cells: Window = { image, step: 1, left: 0, top: 0, level: image }
  return {
    noise: lowerQuartile(
      inner.flatMap((y) => inner.map((x) => measureWindowNoise(image, greenAt(cells, middle(x), middle(y))))),
    ),
    blockiness: measureBlockiness(cells, { x: 0, y: 0, width: image.width, height: image.height }, cellSide),
  }
}

/** Whether the visible part of a face has room for cells that do not overlap. */
const hasRoom = (from: number, length: number, size: number): boolean =>
  Math.min(size, from + length) - Math.max(0, from) > cellsAlong * (cellSide + blockSide)

/** Measures the grain in the box of a face. */
export function measureGrain(pyramid: Pyramid, box: Box): Grain {
  const isLarge = Math.max(box.width, box.height) > wholeSideMax && !pyramid.isWhole
  if (isLarge && hasRoom(box.x, box.width, pyramid.width) && hasRoom(box.y, box.height, pyramid.height))
    return measureCells(pyramid, box)
  const part = pyramid.near(1, box)
  return { noise: measureNoise(part, box), blockiness: measureBlockiness(part, box, seamless) }
}
