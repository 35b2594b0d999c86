import type { Orientation } from '../media/exif.ts'
import { type DetectedFace, type FaceDetector, faceSide, moveFace } from './face.ts'
import { eyeLineAngle } from './facemesh.ts'
import { intersectionOverUnion } from './geometry.ts'
import { keepFirst } from './non-max-suppression.ts'
import type { Pyramid } from './pyramid.ts'
import { shrinkToSide } from './resample.ts'

export interface Detection {
  /** The picture that contains the faces: the input, rotated if needed until its largest face is upright. */
  pyramid: Pyramid
  /** Clockwise quarter turns that were applied, 0…3. */
  quarterTurns: number
  /** Largest first; empty if there is no face. */
  faces: DetectedFace[]
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
async function detectUpright(detector: FaceDetector, pyramid: Pyramid): Promise<DetectedFace[]> {
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

/** With a larger roll angle the picture is probably rotated; below it the head is tilted. */
const leaningMax = Math.PI / 3

/** Confidence of a second network that a box shows an upright face, 0…1. */
export type MeasurePresence = (pyramid: Pyramid, face: DetectedFace) => Promise<number>

const isLying = ({ keypoints }: DetectedFace): boolean =>
  Math.abs(eyeLineAngle(keypoints.rightEye, keypoints.leftEye)) > leaningMax

/** Confidence that a face is upright, 0…1; 0 for no face and for one on its side. */
async function measureUprightness(
  pyramid: Pyramid,
  face: DetectedFace | undefined,
  measurePresence: MeasurePresence,
): Promise<number> {
  return !face || isLying(face) ? 0 : face.confidence * (await measurePresence(pyramid, face))
}

/** Minimum uprightness for rotating a picture that has a face: profiles and half faces fit no mesh in any rotation. */
const turningMin = 0.25

/** The number of quarter turns with the most upright largest face; 0 if none exceeds `unturned`. */
async function findBestTurn(
  detector: FaceDetector,
  pyramid: Pyramid,
  unturned: number,
  measurePresence: MeasurePresence,
): Promise<number> {
  let best = { turns: 0, score: unturned }
  for (const turns of [1, 2, 3]) {
    const turned = pyramid.turned(orientationAfterTurns[turns]!)
    const [largest] = await detectCoarsely(detector, turned)
    const score = await measureUprightness(turned, largest, measurePresence)
    if (score > best.score) best = { turns, score }
  }
  return best.turns
}

/**
 * Detects all faces of a picture. If there is none, or the largest may not be upright, also tries the picture rotated by
 * quarter turns and keeps the rotation in which the largest face is most upright.
 */
export async function detectFaces(
  detector: FaceDetector,
  pyramid: Pyramid,
  measurePresence: MeasurePresence,
): Promise<Detection> {
  const faces = await detectUpright(detector, pyramid)
  const [largest] = faces
  const sure = largest && !isLying(largest) && largest.confidence >= detector.uprightConfidence
  if (sure) return { pyramid, quarterTurns: 0, faces }
  const unturned = await measureUprightness(pyramid, largest, measurePresence)
  const turns = await findBestTurn(
    detector,
    pyramid,
    Math.max(unturned, largest ? turningMin : 0),
    measurePresence,
  )
  if (turns === 0) return { pyramid, quarterTurns: 0, faces }
  const turned = pyramid.turned(orientationAfterTurns[turns]!)
  return { pyramid: turned, quarterTurns: turns, faces: await detectUpright(detector, turned) }
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
  const faces = await detectUpright(detector, pyramid)
  const [closest] = faces.sort((p, q) => overlap(q) - overlap(p))
  return closest && overlap(closest) > overlapMax ? closest : known
}
