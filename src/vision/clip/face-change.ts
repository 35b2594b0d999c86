/**
 * How much a face changes by itself while it moves through a clip. A flat picture that is panned, tilted or zoomed keeps
 * its face: every view of it is a homography of every other. A face has depth and moves its lids, lips and skin.
 */
import { type FaceMesh, meshIndex } from '../facemesh.ts'
import type { Point } from '../geometry.ts'
import type { Pyramid } from '../pyramid.ts'
import { applyHomography, fitHomography } from './homography.ts'

/** The face as one frame shows it, brought to the pose of the clip's first frame; brightness and light taken out. */
export type FaceChip = Float32Array

const side = 48
/** The chip is a square this many times the distance between the outer corners of the eyes. */
const chipScale = 1.55
const narrow = 3
const wide = 15

/** What chips of one clip are brought to. */
export interface ChipFrame {
  points: readonly Point[]
  /** Places of the chip's pixels in the first frame. */
  grid: readonly Point[]
}

/** @param mesh of the clip's first frame */
export function chipFrame({ points }: FaceMesh): ChipFrame {
  const right = points[meshIndex.rightEyeOuter]!
  const left = points[meshIndex.leftEyeOuter]!
  const distance = Math.hypot(left.x - right.x, left.y - right.y)
  const across = { x: (left.x - right.x) / distance, y: (left.y - right.y) / distance }
  const centre = {
    x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
    y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
  }
  const grid = Array.from({ length: side * side }, (_, i) => {
    const u = (((i % side) + 0.5) / side - 0.5) * chipScale * distance
    const v = ((Math.floor(i / side) + 0.5) / side - 0.5) * chipScale * distance
    return { x: centre.x + u * across.x - v * across.y, y: centre.y + u * across.y + v * across.x }
  })
  return { points, grid }
}

/** Mean over a square window of odd width; beyond the border the border goes on. */
function blur(values: Float32Array, width: number): Float32Array {
  const reach = width >> 1
  const clamp = (i: number) => Math.min(side - 1, Math.max(0, i))
  const rows = new Float32Array(values.length)
  const out = new Float32Array(values.length)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      let sum = 0
      for (let d = -reach; d <= reach; d++) sum += values[y * side + clamp(x + d)]!
      rows[y * side + x] = sum / width
    }
  }
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      let sum = 0
      for (let d = -reach; d <= reach; d++) sum += rows[clamp(y + d) * side + x]!
      out[y * side + x] = sum / width
    }
  }
  return out
}

function greyAt(
  { data, width, height }: { data: Uint8ClampedArray; width: number; height: number },
  x: number,
  y: number,
): number {
  const cx = Math.min(width - 1.001, Math.max(0, x - 0.5))
  const cy = Math.min(height - 1.001, Math.max(0, y - 0.5))
  const [x0, y0] = [Math.floor(cx), Math.floor(cy)]
  const [fx, fy] = [cx - x0, cy - y0]
  const grey = (px: number, py: number) => {
    const at = (py * width + px) * 4
    return data[at]! * 0.299 + data[at + 1]! * 0.587 + data[at + 2]! * 0.114
  }
  const top = grey(x0, y0) * (1 - fx) + grey(Math.min(width - 1, x0 + 1), y0) * fx
  const below = Math.min(height - 1, y0 + 1)
  return top * (1 - fy) + (grey(x0, below) * (1 - fx) + grey(Math.min(width - 1, x0 + 1), below) * fx) * fy
}

/** Cuts the chip of a frame: details of middle size, scaled to a deviation of 1. */
export function cutChip(pyramid: Pyramid, { points }: FaceMesh, frame: ChipFrame): FaceChip {
  const map = fitHomography(frame.points, points)
  const places = frame.grid.map((place) => applyHomography(map, place))
  const spacing = Math.hypot(places[1]!.x - places[0]!.x, places[1]!.y - places[0]!.y)
  const { image, step } = pyramid.nearest(Math.max(1, spacing))
  const grey = Float32Array.from(places, ({ x, y }) => greyAt(image, x / step, y / step))
  const [fine, coarse] = [blur(grey, narrow), blur(grey, wide)]
  const detail = fine.map((value, i) => value - coarse[i]!)
  const mean = detail.reduce((sum, value) => sum + value, 0) / detail.length
  const deviation = Math.sqrt(detail.reduce((sum, value) => sum + (value - mean) ** 2, 0) / detail.length)
  return detail.map((value) => (value - mean) / (deviation + 0.1))
}

/**
 * Median over all pairs of frames of the mean squared difference of their chips: near 0 where nothing but the view changed,
 * 2 for unrelated pictures. `docs/liveness.md` has what was measured.
 * @returns `null` for fewer than five frames
 */
export function faceChange(chips: readonly FaceChip[]): number | null {
  if (chips.length < 5) return null
  const differences = chips.flatMap((a, i) =>
    chips.slice(i + 1).map((b) => {
      let sum = 0
      for (let k = 0; k < a.length; k++) sum += (a[k]! - b[k]!) ** 2
      return sum / a.length
    }),
  )
  differences.sort((p, q) => p - q)
  return differences[differences.length >> 1]!
}
