/** A face cropped from one frame, small enough to keep until the end of the clip. */
import { brightness } from '../brightness.ts'
import { eyeLineAngle, type FaceMesh, meshIndex } from '../facemesh.ts'
import {
  distance,
  invert,
  midpoint,
  type Point,
  type Similarity,
  similarityMap,
  transform,
} from '../geometry.ts'
import type { Pyramid } from '../pyramid.ts'
import { warpToTensor } from '../resample.ts'

export const patchSide = 128
/** Distance between the outer corners of the eyes, in pixels of the patch. */
export const eyesApartInPatch = 56
/** How far the eyes lie above the middle of the patch, as a share of its side. */
const eyesAbove = 0.12

export interface FacePatch {
  timeS: number
  /** Brightness `[128,128]`, 0…255 (ITU-R BT.601 weights), rotated so that the eyes are level. */
  grey: Uint8Array
  /** Maps patch coordinates to frame coordinates. */
  toFrame: Similarity
  /** Which part of the clip it is from, if the shape of the frames changes: places in frames of one part are comparable. */
  segment: number
  /** Size of the frame in pixels; patch pixels beyond it show nothing. */
  frameWidth: number
  frameHeight: number
  /** The mesh in pixels of the patch. */
  points: readonly Point[]
}

export function cutPatch(pyramid: Pyramid, { points }: FaceMesh, timeS: number, segment = 0): FacePatch {
  const [right, left] = [points[meshIndex.rightEyeOuter]!, points[meshIndex.leftEyeOuter]!]
  const angle = eyeLineAngle(right, left)
  const scale = distance(left, right) / eyesApartInPatch
  const [a, b] = [Math.cos(angle) * scale, Math.sin(angle) * scale]
  const eyes = midpoint(right, left)
  const [x, y] = [patchSide / 2, patchSide * (0.5 - eyesAbove)]
  const toFrame: Similarity = { a, b, tx: eyes.x - (a * x - b * y), ty: eyes.y - (b * x + a * y) }
  const planes = warpToTensor(pyramid, similarityMap(toFrame), {
    width: patchSide,
    height: patchSide,
    order: 'rgb',
    sampling: 'averaged',
    outside: 'border',
  })
  const plane = patchSide * patchSide
  const grey = new Uint8Array(plane)
  for (let i = 0; i < plane; i++)
    grey[i] = Math.round(brightness(planes[i]!, planes[i + plane]!, planes[i + plane * 2]!))
  const toPatch = invert(toFrame)
  const { width, height } = pyramid.image
  return {
    timeS,
    segment,
    grey,
    toFrame,
    frameWidth: width,
    frameHeight: height,
    points: points.map((point) => transform(toPatch, point)),
  }
}
