import type { Orientation } from '../media/exif.ts'
import { type DetectedFace, type FaceDetector, faceSide, moveFace } from './face.ts'
import type { FaceMesh } from './facemesh.ts'
import { intersectionOverUnion } from './geometry.ts'
import type { LandmarkMethod } from './landmarks.ts'
import { keepFirst } from './non-max-suppression.ts'
import type { Pyramid } from './pyramid.ts'
import { shrinkToSide } from './resample.ts'
import { isPossiblyUpright, isSurelyUpright, measureUprightness } from './uprightness.ts'

export interface Detection {
  /** The picture that contains the faces: the input, rotated if needed until its largest face is upright. */
  pyramid: Pyramid
  /** Clockwise quarter turns that were applied, 0…3. */
  quarterTurns: number
  /** Largest first; empty if there is no face. */
  faces: DetectedFace[]
  /** The mesh of the largest face, fitted once; `null` if there is no face. */
  mesh: FaceMesh | null
}

/** The EXIF orientation that rotates a picture clockwise, by number of quarter turns, 0…3. */
export const orientationAfterTurns: readonly Orientation[] = [1, 6, 3, 8]

/** Detects faces in the whole picture, shrunk so that its longer side is at most `side` pixels. Largest first. */
async function detectAtSize(detector: FaceDetector, pyramid: Pyramid, side: number): Promise<DetectedFace[]> {
  const small = shrinkToSide(pyramid, side)
  const faces = await detector.detect(small, pyramid.kernel)
  return faces
    .map((face) => moveFace(face, pyramid.width / small.width, { x: 0, y: 0 }))
    .sort((p, q) => faceSide(q) - faceSide(p))
}

/** Width of the black margin on each side, as a share of the picture's side: half of the input is picture. */
const marginShare = 0.5

/** Detects faces in a small copy with a margin around it: faces that fill the picture are detected better this way. */
async function detectWithMargin(detector: FaceDetector, pyramid: Pyramid): Promise<DetectedFace[]> {
  const small = shrinkToSide(pyramid, detector.farSide)
  const left = Math.round(small.width * marginShare)
  const top = Math.round(small.height * marginShare)
  const width = small.width + 2 * left
  const data = new Uint8ClampedArray(width * (small.height + 2 * top) * 4)
  for (let y = 0; y < small.height; y++) {
    const row = small.data.subarray(y * small.width * 4, (y + 1) * small.width * 4)
    data.set(row, ((y + top) * width + left) * 4)
  }
  const back = pyramid.width / small.width
  const faces = await detector.detect({ width, height: small.height + 2 * top, data }, pyramid.kernel)
  return faces.map((face) => moveFace(face, back, { x: -left * back, y: -top * back }))
}

const longSideOf = ({ width, height }: Pyramid): number => Math.max(width, height)

const overlapMax = 0.3

/**
 * Detects faces at the lowest resolution, and also with a margin if no face or a large one was found. Large faces are taken
 * from the result with margin. Large, uncertain faces of the first result are dropped if the result with margin has a large
 * or an overlapping face.
 */
async function detectCoarsely(detector: FaceDetector, pyramid: Pyramid): Promise<DetectedFace[]> {
  const side = detector.inputSizes[0]!
  const near = await detectAtSize(detector, pyramid, side)
  const scale = Math.min(1, side / longSideOf(pyramid))
  const isLarge = (face: DetectedFace) => faceSide(face) * scale > detector.largeSide
  if (near[0] && !isLarge(near[0])) return near
  const far = await detectWithMargin(detector, pyramid)
  if (far.length === 0) return near
  const isDoubtful = (face: DetectedFace) => isLarge(face) && face.confidence < detector.uprightConfidence
  const isSeenFar = (face: DetectedFace) =>
    far.some((other) => isLarge(other) || intersectionOverUnion(face.box, other.box) > overlapMax)
  const kept = near.filter((face) => !isDoubtful(face) || !isSeenFar(face))
  const byTrust = [...far.filter(isLarge), ...kept, ...far]
  return keepFirst(byTrust, overlapMax).sort((p, q) => faceSide(q) - faceSide(p))
}

/**
 * Detects at increasing resolution until the largest face is so big that no second subject can have been missed. Most
 * selfies need the lowest resolution only.
 */
async function detectAtSizes(detector: FaceDetector, pyramid: Pyramid): Promise<DetectedFace[]> {
  const longSide = longSideOf(pyramid)
  let faces = await detectCoarsely(detector, pyramid)
  for (const [i, side] of detector.inputSizes.entries()) {
    const largest = faces[0]
    const pixels = largest ? faceSide(largest) * Math.min(1, side / longSide) : 0
    const closer = detector.inputSizes[i + 1]
    if (pixels >= detector.reliableFacePx || side >= longSide || closer === undefined) break
    const seen = await detectAtSize(detector, pyramid, closer)
    if (seen.length > 0) faces = seen
  }
  return faces
}

/** By how much a face must be more upright in another direction: most pictures are upright. */
const turningMargin = 0.5

/**
 * The picture in the direction in which its largest face is most upright; as it is if another gains little.
 * @returns the faces are found at all sizes if the unturned picture has some, else coarsely
 */
async function findBestTurn(
  detector: FaceDetector,
  landmarks: LandmarkMethod,
  unturned: Detection,
): Promise<Detection> {
  const { pyramid, mesh } = unturned
  const [face] = unturned.faces
  // A picture without a face at any size is no reason to search all of them again.
  const find = face ? detectAtSizes : detectCoarsely
  let best = {
    found: unturned,
    score: face && mesh ? measureUprightness(face, mesh) + turningMargin : Number.NEGATIVE_INFINITY,
  }
  for (const quarterTurns of [1, 2, 3]) {
    const turned = pyramid.turned(orientationAfterTurns[quarterTurns]!)
    const faces = await find(detector, turned)
    const [largest] = faces
    if (!largest) continue
    const fitted = await landmarks(turned, largest)
    const score = measureUprightness(largest, fitted)
    if (score <= best.score) continue
    if (!face || (await isPossiblyUpright(landmarks, turned, largest, fitted)))
      best = { found: { pyramid: turned, quarterTurns, faces, mesh: fitted }, score }
  }
  return best.found
}

/** Detects all faces of a picture that is known to be upright. */
export async function detectUnturned(
  detector: FaceDetector,
  landmarks: LandmarkMethod,
  pyramid: Pyramid,
): Promise<Detection> {
  const faces = await detectAtSizes(detector, pyramid)
  const mesh = faces[0] ? await landmarks(pyramid, faces[0]) : null
  return { pyramid, quarterTurns: 0, faces, mesh }
}

/**
 * Detects all faces of a picture. If there is none, or the largest may not be upright, also tries the picture rotated by
 * quarter turns and keeps the rotation in which the largest face is most upright.
 */
export async function detectFaces(
  detector: FaceDetector,
  landmarks: LandmarkMethod,
  pyramid: Pyramid,
): Promise<Detection> {
  const unturned = await detectUnturned(detector, landmarks, pyramid)
  const { faces, mesh } = unturned
  const isSure =
    mesh && (await isSurelyUpright(landmarks, pyramid, faces[0]!, mesh, detector.uprightConfidence))
  if (isSure) return unturned
  const best = await findBestTurn(detector, landmarks, unturned)
  if (best.quarterTurns === 0 || faces.length > 0) return best
  return {
    ...(await detectUnturned(detector, landmarks, best.pyramid)),
    quarterTurns: best.quarterTurns,
  }
}

/**
 * Detects a known face again, in a picture whose border was cropped since: detectors place the box of a face differently with a
 * border. The picture is not turned.
 * @returns the known face if it is not found
 */
export async function detectAgain(
  detector: FaceDetector,
  pyramid: Pyramid,
  known: DetectedFace,
): Promise<DetectedFace> {
  const overlap = ({ box }: DetectedFace) => intersectionOverUnion(box, known.box)
  const faces = await detectAtSizes(detector, pyramid)
  const [closest] = faces.sort((p, q) => overlap(q) - overlap(p))
  return closest && overlap(closest) > overlapMax ? closest : known
}
