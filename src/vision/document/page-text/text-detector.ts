import type { Engine, ModelId } from '../../../inference/engine.ts'
import { type Similarity, similarityMap } from '../../geometry.ts'
import type { Pyramid } from '../../pyramid.ts'
import { warpToTensor } from '../../resample.ts'
import { mapBox, type RotatedBox } from './rotated-box.ts'
import { findTextBoxes } from './text-map.ts'

/** What the detection network looks at: a part of the picture, perhaps rotated. */
interface TextFrame {
  /** In pixels of the frame, multiples of 32. */
  readonly width: number
  readonly height: number
  /** Maps pixels of the frame to the picture. */
  readonly toPicture: Similarity
}

/** Mean and deviation that the network was trained with, in the order of its planes: blue, green, red. */
const mean = [0.485, 0.456, 0.406] as const
const deviation = [0.229, 0.224, 0.225] as const

/** The largest number of lines of one page. */
const boxesMax = 160

/** Rounds up to sides that the network takes. */
const toSide = (length: number): number => Math.max(32, Math.ceil(length / 32) * 32)

/**
 * The frame of a rotated part of the picture.
 * @param part its centre, size and direction in the picture
 * @param side longer side of the frame in pixels, before it is rounded
 */
export function toTextFrame(part: RotatedBox, side: number): TextFrame {
  const scale = Math.max(part.width, part.height) / side
  const [width, height] = [toSide(part.width / scale), toSide(part.height / scale)]
  const [a, b] = [part.axis.x * scale, part.axis.y * scale]
  const tx = part.centre.x - (a * width - b * height) / 2
  const ty = part.centre.y - (b * width + a * height) / 2
  return { width, height, toPicture: { a, b, tx, ty } }
}

/**
 * The text detection network of PP-OCRv4 (PaddleOCR), a DB network.
 *
 * Input `[1,3,H,W]` BGR, each plane (0…1 − mean) / deviation, sides multiples of 32; output `[1,1,H,W]`, the probability of each pixel to
 * lie in the core of a line.
 * @returns the lines of a frame as boxes in the picture, the largest first
 * @throws {AppError} `engine_unavailable`
 */
export async function detectText(
  engine: Engine,
  model: ModelId,
  pyramid: Pyramid,
  { width, height, toPicture }: TextFrame,
): Promise<RotatedBox[]> {
  const data = warpToTensor(pyramid, similarityMap(toPicture), {
    ...{ width, height, order: 'bgr', outside: 'border', sampling: 'averaged' },
  })
  const plane = width * height
  for (const [i, centre] of mean.entries()) {
    const [factor, shift] = [1 / (255 * deviation[i]!), centre / deviation[i]!]
    for (let at = i * plane; at < (i + 1) * plane; at++) data[at] = data[at]! * factor - shift
  }
  const [map] = Object.values(await engine.run(model, { data, shape: [1, 3, height, width] }))
  return findTextBoxes({ data: map!.data, width, height }, boxesMax).map((box) => mapBox(box, toPicture))
}
