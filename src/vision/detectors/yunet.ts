import type { Engine, Tensor } from '../../inference/engine.ts'
import type { RgbaImage } from '../../media/rgba-image.ts'
import type { DetectedFace, FaceDetector } from '../face.ts'
import { midpoint, type Point } from '../geometry.ts'
import { nonMaxSuppression } from '../non-max-suppression.ts'

const strides = [8, 16, 32] as const
const confidenceMin = 0.6
const overlapMax = 0.3

/** Planes `[1,3,H,W]` BGR 0…255; both sides padded with black to a multiple of 32. */
function toInputTensor(image: RgbaImage): Tensor {
  const { width, height, data } = image
  const paddedWidth = Math.ceil(width / 32) * 32
  const paddedHeight = Math.ceil(height / 32) * 32
  const plane = paddedWidth * paddedHeight
  const planes = new Float32Array(plane * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4
      const to = y * paddedWidth + x
      planes[to] = data[from + 2]!
      planes[to + plane] = data[from + 1]!
      planes[to + plane * 2] = data[from]!
    }
  }
  return { data: planes, shape: [1, 3, paddedHeight, paddedWidth] }
}

function decodeStride(outputs: Record<string, Tensor>, stride: number, columns: number): DetectedFace[] {
  const [cls, obj, bbox, kps] = ['cls', 'obj', 'bbox', 'kps'].map(
    (name) => outputs[`${name}_${stride}`]!.data,
  )
  const faces: DetectedFace[] = []
  for (let i = 0; i < cls!.length; i++) {
    const confidence = Math.sqrt(Math.min(1, Math.max(0, cls![i]!)) * Math.min(1, Math.max(0, obj![i]!)))
    if (confidence < confidenceMin) continue
    const column = i % columns
    const row = Math.floor(i / columns)
    const width = Math.exp(bbox![i * 4 + 2]!) * stride
    const height = Math.exp(bbox![i * 4 + 3]!) * stride
    const x = (column + bbox![i * 4]!) * stride - width / 2
    const y = (row + bbox![i * 4 + 1]!) * stride - height / 2
    const point = (k: number): Point => ({
      x: (kps![i * 10 + k * 2]! + column) * stride,
      y: (kps![i * 10 + k * 2 + 1]! + row) * stride,
    })
    const keypoints = {
      rightEye: point(0),
      leftEye: point(1),
      nose: point(2),
      mouth: midpoint(point(3), point(4)),
    }
    faces.push({ box: { x, y, width, height }, confidence, keypoints })
  }
  return faces
}

/**
 * YuNet (Wu et al., "YuNet: A Tiny Millisecond-level Face Detector", 2023), the 2023mar weights with free input size.
 *
 * Input `[1,3,H,W]` BGR 0…255; per stride 8, 16, 32 the outputs `cls`, `obj`, `bbox` (centre and logarithmic size in
 * strides) and `kps` (right eye, left eye, nose, right and left corner of the mouth). Confidence is √(cls·obj).
 */
export function openYunet(engine: Engine): FaceDetector {
  return {
    inputSizes: [320, 640, 1280],
    farSide: 160,
    largeSide: Number.POSITIVE_INFINITY,
    reliableFacePx: 48,
    uprightConfidence: 0.88,
    async detect(image) {
      const input = toInputTensor(image)
      const outputs = await engine.run('yunet-2023mar', input)
      const width = input.shape[3]!
      return nonMaxSuppression(
        strides.flatMap((stride) => decodeStride(outputs, stride, width / stride)),
        overlapMax,
      )
    },
  }
}
