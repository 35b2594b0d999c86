import { type FaceMesh, meshIndex } from './facemesh.ts'
import { distance } from './geometry.ts'

/**
 * Head pose in degrees, 0 when the subject looks into the camera. Signs are the subject's own: `yaw` grows to the
 * subject's left, `pitch` upwards, `roll` towards the subject's left shoulder.
 */
export interface HeadPose {
  yaw: number
  pitch: number
  roll: number
}

const degrees = 180 / Math.PI

/**
 * Reads the pose off the mesh: the axis from cheek to cheek and the axis from forehead to chin, both with depth.
 */
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
