import type { Orientation } from '../media/exif.ts'
import { orientImage } from '../media/orient-image.ts'
import { type DetectedFace, type FaceDetector, faceSide, moveFace } from './face.ts'
import { eyeLineAngle } from './facemesh.ts'
import { intersectionOverUnion } from './geometry.ts'
import { keepFirst } from './non-max-suppression.ts'
import { Pyramid } from './pyramid.ts'
import { shrinkToSide } from './resample.ts'

export interface Detection {
  /** The picture the faces are in: the one handed in, or that picture turned until its largest face is upright. */
  pyramid: Pyramid
  /** Quarter turns to the right that were needed, 0…3. */
  quarterTurns: number
  /** Largest first; empty when there is no face. */
  faces: DetectedFace[]
}

/** The EXIF orientation that describes a picture to be turned right by so many quarters, 0…3. */
export const orientationAfterTurns: readonly Orientation[] = [1, 6, 3, 8]

/** Looks at the whole picture with its longer side at `side` pixels at most. */
async function detectAtSize(detector: FaceDetector, pyramid: Pyramid, side: number): Promise<DetectedFace[]> {
  const small = shrinkToSide(pyramid, side)
  const faces = await detector.detect(small)
  return faces
    .map((face) => moveFace(face, pyramid.image.width / small.width, { x: 0, y: 0 }))
    .sort((p, q) => faceSide(q) - faceSide(p))
}

/** Half of what is shown from afar is the picture, the rest a black margin. */
const marginShare = 0.5

/** Looks at the picture made small, with room around it: a face that fills a picture is found better there. */
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
  const back = pyramid.image.width / small.width
  const faces = await detector.detect({ width, height: small.height + 2 * top, data })
  return faces.map((face) => moveFace(face, back, { x: -left * back, y: -top * back }))
}

const longSideOf = ({ image }: Pyramid): number => Math.max(image.width, image.height)

const overlapMax = 0.3

/**
 * Looks at the whole picture, and also from afar where there seems to be no face or one is large. Large faces are as they
 * look from afar; one that is not seen there must be sure where another is.
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
 * Looks at growing resolution until the largest face is big enough to be sure that no rival of it was missed: most
 * selfies need the first look only, a face in a wide photograph gets a closer one.
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

/** Beyond this tilt a head rather lies in a turned picture than leans in an upright one. */
const leaningMax = Math.PI / 3

/** The certainty of a second network that a box shows an upright face, 0…1. */
export type MeasurePresence = (pyramid: Pyramid, face: DetectedFace) => Promise<number>

const isLying = ({ keypoints }: DetectedFace): boolean =>
  Math.abs(eyeLineAngle(keypoints.rightEye, keypoints.leftEye)) > leaningMax

/** How much a face looks like standing upright; nothing for none and for one that lies on its side. */
async function measureUprightness(
  pyramid: Pyramid,
  face: DetectedFace | undefined,
  measurePresence: MeasurePresence,
): Promise<number> {
  return !face || isLying(face) ? 0 : face.confidence * (await measurePresence(pyramid, face))
}

/** A face that was found is turned only into one that both networks see: profiles and half faces fit no mesh in any position. */
const turningMin = 0.25

/** The number of quarter turns that makes the largest face look most upright; 0 where no turn shows a face. */
async function findBestTurn(
  detector: FaceDetector,
  pyramid: Pyramid,
  unturned: number,
  measurePresence: MeasurePresence,
): Promise<number> {
  let best = { turns: 0, score: unturned }
  for (const turns of [1, 2, 3]) {
    const turned = new Pyramid(orientImage(pyramid.image, orientationAfterTurns[turns]!))
    const [largest] = await detectCoarsely(detector, turned)
    const score = await measureUprightness(turned, largest, measurePresence)
    if (score > best.score) best = { turns, score }
  }
  return best.turns
}

/**
 * Finds all faces of a picture. Where there is none, or the largest is not surely upright, the picture is also looked at
 * turned by quarters, and turned the way that shows its largest face best.
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
  const turned = new Pyramid(orientImage(pyramid.image, orientationAfterTurns[turns]!))
  return { pyramid: turned, quarterTurns: turns, faces: await detectUpright(detector, turned) }
}
