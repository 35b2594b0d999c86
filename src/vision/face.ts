import type { RgbaImage } from '../media/rgba-image.ts'
import type { Box, Point } from './geometry.ts'

/** Points that every detector gives. Right and left are the subject's. */
export interface FaceKeypoints {
  rightEye: Point
  leftEye: Point
  nose: Point
  mouth: Point
}

/** One face as the detector saw it, in pixels of the picture it was found in. */
export interface DetectedFace {
  box: Box
  /** The detector's own certainty that this is a face, 0…1. */
  confidence: number
  keypoints: FaceKeypoints
}

/** A network that finds faces in one picture at the size it is given. */
export interface FaceDetector {
  /** Longer side of the pictures it is shown; each look is at twice the resolution of the one before. */
  readonly inputSizes: readonly number[]
  /** Longer side of a picture that is looked at from afar, with a margin around it. */
  readonly farSide: number
  /** A face whose longer side has more pixels in a look is badly seen there, and better from afar. */
  readonly largeSide: number
  /** A face whose longer side has this many pixels in a look is found surely, and so is any face half as high. */
  readonly reliableFacePx: number
  /** Upright faces are seldom found with less confidence than this, faces that lie or hang seldom with more. */
  readonly uprightConfidence: number
  /**
   * The faces of a picture, in its pixels; `[]` for none.
   * @throws {AppError} `engine_unavailable`
   */
  detect(image: RgbaImage): Promise<DetectedFace[]>
}

/** The longer side of a face's box. */
export const faceSide = ({ box }: DetectedFace): number => Math.max(box.width, box.height)

/** Applies one mapping to the box's corners and to every keypoint; `scale` is the mapping's scale. */
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
