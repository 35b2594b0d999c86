/** Tells upright faces from faces that are upside down or on their side, which detectors also report with upright landmarks. */
import { meshToFace } from './clip/track.ts'
import { type DetectedFace, type FaceKeypoints, faceSide } from './face.ts'
import { eyeLineAngle, type FaceMesh } from './facemesh.ts'
import { boxCentre, distance, type Point } from './geometry.ts'
import type { LandmarkMethod } from './landmarks.ts'
import type { Pyramid } from './pyramid.ts'

/** With a larger roll angle the head is nearer to lying on its side. */
const leaningMax = Math.PI / 4

const isLying = ({ keypoints }: DetectedFace): boolean =>
  Math.abs(eyeLineAngle(keypoints.rightEye, keypoints.leftEye)) > leaningMax

/** The face with its landmarks upside down in the same box. */
function turnOver(face: DetectedFace): DetectedFace {
  const centre = boxCentre(face.box)
  const turn = ({ x, y }: Point): Point => ({ x: 2 * centre.x - x, y: 2 * centre.y - y })
  const { rightEye, leftEye, nose, mouth } = face.keypoints
  return {
    ...face,
    keypoints: { rightEye: turn(rightEye), leftEye: turn(leftEye), nose: turn(nose), mouth: turn(mouth) },
  }
}

const landmarkNames = ['rightEye', 'leftEye', 'nose', 'mouth'] as const satisfies (keyof FaceKeypoints)[]

/** Mean distance between the landmarks of the detector and of the mesh, in longer sides of the face's box. */
function measureDisagreement(face: DetectedFace, mesh: FaceMesh): number {
  const { keypoints } = meshToFace(mesh)
  const sum = landmarkNames.reduce(
    (total, name) => total + distance(face.keypoints[name], keypoints[name]),
    0,
  )
  return sum / landmarkNames.length / faceSide(face)
}

/**
 * On upright faces both networks see eyes, nose and mouth at the same places, and the mesh network has no doubt. These limits hold for
 * most upright pictures of the fit set, and for none that is upside down.
 */
const certain = { presenceMin: 1 - 1e-6, disagreementMax: 0.053 }

/** How much the mesh network must see a face, in log odds also more than the same face upside down. */
interface Limits {
  presenceMin: number
  leadMin: number
}
/** For going without a look at other directions. */
const sure: Limits = { presenceMin: 0.9, leadMin: 2 }
/** For preferring a direction to others. Profiles and half faces fit no mesh in any. */
const possible: Limits = { presenceMin: 0.25, leadMin: 1 }

/** Beyond it, single precision has no probabilities. */
const logOddsMax = 16
const toLogOdds = (probability: number): number =>
  Math.min(logOddsMax, Math.max(-logOddsMax, Math.log(probability / (1 - probability))))

async function fitsBetterThanTurned(
  landmarks: LandmarkMethod,
  pyramid: Pyramid,
  face: DetectedFace,
  mesh: FaceMesh,
  { presenceMin, leadMin }: Limits,
): Promise<boolean> {
  if (mesh.presence < presenceMin) return false
  if (mesh.presence >= certain.presenceMin && measureDisagreement(face, mesh) <= certain.disagreementMax)
    return true
  const turned = await landmarks(pyramid, turnOver(face))
  return toLogOdds(mesh.presence) - toLogOdds(turned.presence) >= leadMin
}

/**
 * Whether a face is upright so surely that other directions of the picture need no look.
 * @param confidenceMin of the detector
 */
export const isSurelyUpright = async (
  landmarks: LandmarkMethod,
  pyramid: Pyramid,
  face: DetectedFace,
  mesh: FaceMesh,
  confidenceMin: number,
): Promise<boolean> =>
  face.confidence >= confidenceMin &&
  !isLying(face) &&
  (await fitsBetterThanTurned(landmarks, pyramid, face, mesh, sure))

/** Whether a face of another direction may be what the picture shows. */
export const isPossiblyUpright = (
  landmarks: LandmarkMethod,
  pyramid: Pyramid,
  face: DetectedFace,
  mesh: FaceMesh,
): Promise<boolean> => fitsBetterThanTurned(landmarks, pyramid, face, mesh, possible)

/** The mesh network is much surer than it is right. */
const meshWeight = 0.1

/** How upright a face is, for comparing directions of a picture: log odds of both networks; −∞ for a face on its side. */
export const measureUprightness = (face: DetectedFace, mesh: FaceMesh): number =>
  isLying(face)
    ? Number.NEGATIVE_INFINITY
    : toLogOdds(face.confidence) + meshWeight * toLogOdds(mesh.presence)
