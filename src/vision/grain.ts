/** Noise and compression of a face, at the picture's own resolution. */
import type { RgbaImage } from '../media/rgba-image.ts'
import type { Box } from './geometry.ts'
import type { Pyramid } from './pyramid.ts'

export interface Grain {
  /** Standard deviation of the pixel noise in smooth parts of the face, in grey levels of 255. */
  noise: number
  /**
   * Ratio of pixel differences at the borders of 8 × 8 blocks to those inside: about 1 for light compression, 2.2 for JPEG
   * quality 25, 4.5 for 8.
   */
  blockiness: number
}

const noiseWindow = 8
/** Standard deviation of white noise per unit of the difference-of-Laplacians mask below (Immerkær 1996). */
const noiseMaskGain = 6

/** The part of a face's box without hair and background. */
const innerFrom = 0.15
const innerTo = 0.85

const lowerQuartile = (values: number[]): number =>
  values.sort((p, q) => p - q)[Math.floor(values.length / 4)] ?? 0

/**
 * Noise from a mask that straight edges do not excite (Immerkær, "Fast Noise Variance Estimation", 1996), at the
 * picture's own resolution, as the lower quartile over small windows: smooth skin counts, hair does not.
 */
function measureNoise(image: RgbaImage, box: Box): number {
  const left = Math.max(1, Math.floor(box.x + box.width * innerFrom))
  const top = Math.max(1, Math.floor(box.y + box.height * innerFrom))
  const right = Math.min(image.width - 1, Math.ceil(box.x + box.width * innerTo))
  const bottom = Math.min(image.height - 1, Math.ceil(box.y + box.height * innerTo))
  // Large faces are sampled: a few hundred windows suffice.
  const step = Math.max(noiseWindow, Math.floor(Math.sqrt(((right - left) * (bottom - top)) / 400)))
  const deviations: number[] = []
  for (let y = top; y + noiseWindow <= bottom; y += step) {
    for (let x = left; x + noiseWindow <= right; x += step) deviations.push(measureWindowNoise(image, x, y))
  }
  return lowerQuartile(deviations)
}

function measureWindowNoise({ data, width }: RgbaImage, left: number, top: number): number {
  const row = width * 4
  let sum = 0
  for (let y = top; y < top + noiseWindow; y++) {
    // The green of three rows, at the column before the window.
    let at = (y * width + left - 1) * 4 + 1
    for (let x = 0; x < noiseWindow; x++, at += 4) {
      const corners = data[at - row]! + data[at - row + 8]! + data[at + row]! + data[at + row + 8]!
      const edges = data[at - row + 4]! + data[at]! + data[at + 8]! + data[at + row + 4]!
      sum += Math.abs(corners - 2 * edges + 4 * data[at + 4]!)
    }
  }
  return ((sum / noiseWindow ** 2) * Math.sqrt(Math.PI / 2)) / noiseMaskGain
}

const blockSide = 8
/** Approximate number of rows or columns that are examined; large faces are sampled. */
const blockLines = 160

/** Distance of seams in a part without any: larger than every side. */
const seamless = 2 ** 30

/** @param seam distance of columns and rows whose predecessor is not their neighbour in the picture, whole blocks */
function measureBlockinessAlong(image: RgbaImage, box: Box, isAcross: boolean, seam: number): number {
  const { data, width, height } = image
  const [left, right] = [Math.max(1, Math.floor(box.x)), Math.min(width, Math.ceil(box.x + box.width))]
  const [top, bottom] = [Math.max(1, Math.floor(box.y)), Math.min(height, Math.ceil(box.y + box.height))]
  const lines = isAcross ? bottom - top : right - left
  const step = Math.max(1, Math.floor(lines / blockLines))
  const [stepX, stepY, before] = isAcross ? [1, step, 4] : [step, 1, width * 4]
  let [border, borders, inside, insides] = [0, 0, 0, 0]
  for (let y = top; y < bottom; y += stepY) {
    let at = (y * width + left) * 4 + 1
    for (let x = left; x < right; x += stepX, at += stepX * 4) {
      const place = isAcross ? x : y
      const difference = Math.abs(data[at]! - data[at - before]!)
      // Remainders are slow, so only borders of blocks are asked whether they are seams.
      if ((place & (blockSide - 1)) !== 0) {
        inside += difference
        insides++
      } else if (place % seam !== 0) {
        border += difference
        borders++
      }
    }
  }
  return borders === 0 || insides === 0 ? 1 : border / borders / (inside / insides + evenness)
}

/** Grey levels added to the divisor, so that a uniform surface does not count as blocky. */
const evenness = 0.2

/** Compression blocks show in both directions, stripes in one only. */
const measureBlockiness = (image: RgbaImage, box: Box, seam: number): number =>
  Math.min(measureBlockinessAlong(image, box, true, seam), measureBlockinessAlong(image, box, false, seam))

/** Larger faces of pictures that are not decoded are sampled in cells of three blocks, this number along each side. */
const wholeSideMax = 1024
const cellsAlong = 24
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
  const all = { x: 0, y: 0, width: image.width, height: image.height }
  return {
    noise: lowerQuartile(
      inner.flatMap((y) => inner.map((x) => measureWindowNoise(image, middle(x), middle(y)))),
    ),
    blockiness: measureBlockiness(image, all, cellSide),
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
  const { image, left, top } = pyramid.near(1, box)
  const part = { ...box, x: box.x - left, y: box.y - top }
  return {
    noise: measureNoise(image, part),
    blockiness: measureBlockiness(image, part, seamless),
  }
}
