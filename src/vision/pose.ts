import { type FaceMesh, meshIndex } from './facemesh.ts'
import { distance } from './geometry.ts'

/**
 * Head pose in degrees, 0 if the subject looks into the camera. Signs from the subject's view: `yaw` is positive to the
 * left, `pitch` upwards, `roll` towards the left shoulder.
 */
export interface HeadPose {
  yaw: number
  pitch: number
  roll: number
}

const degrees = 180 / Math.PI

/** Estimates the pose from two axes of the mesh with depth: cheek to cheek, and forehead to chin. */
export function estimateHeadPose(mesh: FaceMesh): HeadPose {
  const at = (name: keyof typeof meshIndex) => mesh.points[meshIndex[name]]!
  const across = { from: at('rightCheek'), to: at('leftCheek') }
  const down = { from: at('forehead'), to: at('chin') }
  const width = distance(across.to, across.from)
  const height = distance(down.to, down.from)
  return {
    yaw: Math.atan2(across.to.z - across.from.z, width) * degrees,
    pitch: Math.atan2(down.from.z - down.to.z, height) * degrees,
    roll: Math.atan2(across.to.y - across.from.y, across.to.x - across.from.x) * degrees,
  }
}
