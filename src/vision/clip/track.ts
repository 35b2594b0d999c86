/** Tracks one face from frame to frame by its mesh, which costs a fraction of detection. */
import type { DetectedFace } from '../face.ts'
import { type FaceMesh, meshIndex } from '../facemesh.ts'

/** Below this presence the mesh has lost the face. */
export const presenceMin = 0.5

/** Converts a mesh to the face that a detector would report; the box is the bounding box of the mesh. */
export function meshToFace({ points, presence }: FaceMesh): DetectedFace {
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const [left, right] = [Math.min(...xs), Math.max(...xs)]
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)]
  const middle = (...names: (keyof typeof meshIndex)[]) => {
    const chosen = names.map((name) => points[meshIndex[name]]!)
    return {
      x: chosen.reduce((sum, { x }) => sum + x, 0) / chosen.length,
      y: chosen.reduce((sum, { y }) => sum + y, 0) / chosen.length,
    }
  }
  return {
    box: { x: left, y: top, width: right - left, height: bottom - top },
    confidence: presence,
    keypoints: {
      rightEye: middle('rightEyeOuter', 'rightEyeInner'),
      leftEye: middle('leftEyeInner', 'leftEyeOuter'),
      nose: middle('noseTip'),
      mouth: middle('mouthRight', 'mouthLeft'),
    },
  }
}
