import type { Engine, Tensor } from '../../inference/engine.ts'
import type { RgbaImage } from '../../media/rgba-image.ts'
import type { DetectedFace, FaceDetector } from '../face.ts'
import { boxMap, type Point } from '../geometry.ts'
import { nonMaxSuppression } from '../non-max-suppression.ts'
import { warpWindow } from '../resample.ts'

const side = 256
/** Anchor grids: cell size in pixels, anchors per cell, and the pair of outputs. */
const grids = [
  { cell: 16, anchors: 2, scores: 'scores16', boxes: 'boxes16' },
  { cell: 32, anchors: 6, scores: 'scores32', boxes: 'boxes32' },
] as const
const valuesPerBox = 16
const confidenceMin = 0.5
const overlapMax = 0.3

/** Top left corner of a square window of the picture. */
type Window = Point

/** Minimum overlap of windows in pixels, so that a small face lies completely in one of them. */
const overlap = 64

/** Start positions of evenly spread windows that cover a length. */
function spreadStarts(length: number): number[] {
  if (length <= side) return [(length - side) / 2]
  const count = Math.ceil((length - overlap) / (side - overlap))
  return Array.from({ length: count }, (_, i) => (i * (length - side)) / (count - 1))
}

/** One centred window for a small picture, padded with black; overlapping windows for a larger one. */
function splitIntoWindows({ width, height }: RgbaImage): Window[] {
  return spreadStarts(height).flatMap((y) => spreadStarts(width).map((x) => ({ x, y })))
}

function decodeGrid(
  outputs: Record<string, Tensor>,
  grid: (typeof grids)[number],
  window: Window,
): DetectedFace[] {
  const scores = outputs[grid.scores]!.data
  const boxes = outputs[grid.boxes]!.data
  const columns = side / grid.cell
  const faces: DetectedFace[] = []
  for (let i = 0; i < scores.length; i++) {
    const confidence = 1 / (1 + Math.exp(-scores[i]!))
    if (confidence < confidenceMin) continue
    const cell = Math.floor(i / grid.anchors)
    const anchorX = ((cell % columns) + 0.5) * grid.cell + window.x
    const anchorY = (Math.floor(cell / columns) + 0.5) * grid.cell + window.y
    const value = (k: number) => boxes[i * valuesPerBox + k]!
    const point = (k: number): Point => ({ x: anchorX + value(4 + k * 2), y: anchorY + value(5 + k * 2) })
    const [width, height] = [value(2), value(3)]
    faces.push({
      box: { x: anchorX + value(0) - width / 2, y: anchorY + value(1) - height / 2, width, height },
      confidence,
      keypoints: { rightEye: point(0), leftEye: point(1), nose: point(2), mouth: point(3) },
    })
  }
  return faces
}

/**
 * Runs the network on one square picture.
 * @param planes RGB −1…1, plane by plane
 * @param window where the picture lies in a larger one; faces are told in pixels of that
 * @returns faces that may overlap, several for each
 */
export async function findInWindow(
  engine: Engine,
  planes: Float32Array,
  window: Window = { x: 0, y: 0 },
): Promise<DetectedFace[]> {
  const outputs = await engine.run('blazeface-back', { data: planes, shape: [1, 3, side, side] })
  return grids.flatMap((grid) => decodeGrid(outputs, grid, window))
}

/**
 * BlazeFace, back camera variant (Bazarevsky et al. 2019; weights of MediaPipe, Apache-2.0).
 *
 * Input `[1,3,256,256]` RGB −1…1. Output per anchor: a logit, and 16 values in pixels relative to the anchor:
 * centre, size, right eye, left eye, nose, mouth, right ear, left ear.
 */
export function openBlazeface(engine: Engine): FaceDetector {
  return {
    inputSizes: [256, 640],
    // Measured on tight portraits: most confident for faces of 60 to 70 pixels; misses one in ten of 180 pixels.
    farSide: 80,
    largeSide: 110,
    reliableFacePx: 56,
    uprightConfidence: 0.8,
    async detect(image, pictures) {
      const faces: DetectedFace[] = []
      const whole = { image, step: 1, left: 0, top: 0, level: image }
      for (const window of splitIntoWindows(image)) {
        const planes = warpWindow(
          pictures,
          whole,
          boxMap({ ...window, width: side, height: side }, side, side),
          {
            width: side,
            height: side,
            order: 'rgb',
            outside: 'black',
          },
        )
        for (let i = 0; i < planes.length; i++) planes[i] = planes[i]! / 127.5 - 1
        faces.push(...(await findInWindow(engine, planes, window)))
      }
      return nonMaxSuppression(faces, overlapMax)
    },
  }
}
