import type { PictureKernel } from '../media/picture-kernel.ts'
import type { RgbaImage } from '../media/rgba-image.ts'
import type { Box, Point } from './geometry.ts'

/** Keypoints that every detector returns. Right and left are the subject's. */
export interface FaceKeypoints {
  rightEye: Point
  leftEye: Point
  nose: Point
  mouth: Point
}

/** A detected face, in pixels of the picture in which it was detected. */
export interface DetectedFace {
  box: Box
  /** Confidence of the detector that this is a face, 0…1. */
  confidence: number
  keypoints: FaceKeypoints
}

/** A network that detects faces in a picture at its given size. */
export interface FaceDetector {
  /** Longer sides of its inputs in pixels, ascending: tried one after the other. */
  readonly inputSizes: readonly number[]
  /** Longer side in pixels of the picture that is shown with a margin around it. */
  readonly farSide: number
  /** Faces with a longer side above this (in pixels of the input) are detected better with a margin. */
  readonly largeSide: number
  /** From this longer side on (in pixels of the input) a face is detected reliably, and so is any face half as high. */
  readonly reliableFacePx: number
  /** Upright faces rarely have a lower confidence; faces upside down can have a higher one. */
  readonly uprightConfidence: number
  /**
   * The faces of a picture, in its pixels; `[]` for none.
   * @throws {AppError} `engine_unavailable`
   */
  detect(image: RgbaImage, pictures: PictureKernel): Promise<DetectedFace[]>
}

/** Longer side of a face's box in pixels. */
export const faceSide = ({ box }: DetectedFace): number => Math.max(box.width, box.height)

/** Scales, then shifts the box and all keypoints. */
export function moveFace(face: DetectedFace, scale: number, shift: Point): DetectedFace {
  const move = ({ x, y }: Point): Point => ({ x: x * scale + shift.x, y: y * scale + shift.y })
  const { box, keypoints } = face
  return {
    confidence: face.confidence,
    box: { ...move(box), width: box.width * scale, height: box.height * scale },
    keypoints: {
      rightEye: move(keypoints.rightEye),
      leftEye: move(keypoints.leftEye),
      nose: move(keypoints.nose),
      mouth: move(keypoints.mouth),
    },
  }
}
