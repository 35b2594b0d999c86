/** Lines of a face for drawing, out of the mesh. */

import type { Size } from '../media/rgba-image.ts'
import { type FaceMesh, meshIndex } from './facemesh.ts'
import type { Point } from './geometry.ts'

/** Mesh points of each line in drawing order (MediaPipe's canonical layout). Right and left are the subject's. */
const lines = {
  faceOval: [
    ...[meshIndex.forehead, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400],
    ...[377, meshIndex.chin, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109],
  ],
  rightEye: [33, 7, 163, 144, 145, 153, 154, 155, 133, 173, 157, 158, 159, 160, 161, 246],
  leftEye: [263, 249, 390, 373, 374, 380, 381, 382, 362, 398, 384, 385, 386, 387, 388, 466],
  rightBrow: [70, 63, 105, 66, 107, 55, 65, 52, 53, 46],
  leftBrow: [300, 293, 334, 296, 336, 285, 295, 282, 283, 276],
  noseBridge: [168, 6, 197, 195, 5, 4],
  noseBase: [98, 97, 2, 326, 327],
  lips: [61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 409, 270, 269, 267, 0, 37, 39, 40, 185],
  mouth: [78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 415, 310, 311, 312, 13, 82, 81, 80, 191],
} as const

type FaceLine = keyof typeof lines

/** In pixels of the picture. All lines are closed, except those of the nose. */
export type FaceOutline = Readonly<Record<FaceLine, readonly Point[]>>

export function outlineFace({ points }: FaceMesh): FaceOutline {
  const pick = (index: number): Point => ({ x: points[index]!.x, y: points[index]!.y })
  return Object.fromEntries(
    Object.entries(lines).map(([line, indices]) => [line, indices.map(pick)]),
  ) as unknown as FaceOutline
}

/** Middles of the eyes, in shares of the upright picture. Right is the subject's. */
export interface EyePlaces {
  right: Point
  left: Point
}

/** @param picture of the mesh */
export function placeEyes({ points }: FaceMesh, { width, height }: Size): EyePlaces {
  const middle = (line: 'rightEye' | 'leftEye'): Point => {
    const around = lines[line].map((index) => points[index]!)
    return {
      x: around.reduce((sum, { x }) => sum + x, 0) / around.length / width,
      y: around.reduce((sum, { y }) => sum + y, 0) / around.length / height,
    }
  }
  return { right: middle('rightEye'), left: middle('leftEye') }
}
