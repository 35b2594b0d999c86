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

/** The EXIF orientation that describes a picture to be turned right by so many quarters. */
const turnedBy: readonly Orientation[] = [1, 6, 3, 8]

/** Looks at the whole picture with its longer side at `side` pixels at most. */
async function look(finder: FaceDetector, pyramid: Pyramid, side: number): Promise<DetectedFace[]> {
  const small = shrinkToSide(pyramid, side)
  const faces = await finder.find(small)
  return faces
    .map((face) => moveFace(face, pyramid.image.width / small.width, { x: 0, y: 0 }))
    .sort((p, q) => faceSide(q) - faceSide(p))
}

/** Half of what is shown from afar is the picture, the rest a black margin. */
const marginShare = 0.5

/** Looks at the picture made small, with room around it: a face that fills a picture is found better there. */
async function lookFromAfar(finder: FaceDetector, pyramid: Pyramid): Promise<DetectedFace[]> {
  const small = shrinkToSide(pyramid, finder.farSide)
  const left = Math.round(small.width * marginShare)
  const top = Math.round(small.height * marginShare)
  const width = small.width + 2 * left
  const data = new Uint8ClampedArray(width * (small.height + 2 * top) * 4)
  for (let y = 0; y < small.height; y++) {
    const row = small.data.subarray(y * small.width * 4, (y + 1) * small.width * 4)
    data.set(row, ((y + top) * width + left) * 4)
  }
  const back = pyramid.image.width / small.width
  const faces = await finder.find({ width, height: small.height + 2 * top, data })
  return faces.map((face) => moveFace(face, back, { x: -left * back, y: -top * back }))
}

const longSideOf = ({ image }: Pyramid): number => Math.max(image.width, image.height)

const overlapMax = 0.3

/**
 * Looks at the whole picture, and also from afar where there seems to be no face or one is large. Large faces are as they
 * look from afar; one that is not seen there must be sure where another is.
 */
async function glance(finder: FaceDetector, pyramid: Pyramid): Promise<DetectedFace[]> {
  const side = finder.inputSizes[0]!
  const near = await look(finder, pyramid, side)
  const scale = Math.min(1, side / longSideOf(pyramid))
  const isLarge = (face: DetectedFace) => faceSide(face) * scale > finder.largeSide
  if (near[0] && !isLarge(near[0])) return near
  const far = await lookFromAfar(finder, pyramid)
  if (far.length === 0) return near
  const isDoubtful = (face: DetectedFace) => isLarge(face) && face.confidence < finder.uprightConfidence
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
async function detectUpright(finder: FaceDetector, pyramid: Pyramid): Promise<DetectedFace[]> {
  const longSide = longSideOf(pyramid)
  let faces = await glance(finder, pyramid)
  for (const [i, side] of finder.inputSizes.entries()) {
    const largest = faces[0]
    const pixels = largest ? faceSide(largest) * Math.min(1, side / longSide) : 0
    const closer = finder.inputSizes[i + 1]
    if (pixels >= finder.reliableFacePx || side >= longSide || closer === undefined) break
    const seen = await look(finder, pyramid, closer)
    if (seen.length > 0) faces = seen
  }
  return faces
}

/** Beyond this tilt a head rather lies in a turned picture than leans in an upright one. */
const leaningMax = Math.PI / 3

/** The certainty of a second network that a box shows an upright face, 0…1. */
export type PresenceOf = (pyramid: Pyramid, face: DetectedFace) => Promise<number>

const isLying = ({ keypoints }: DetectedFace): boolean =>
  Math.abs(eyeLineAngle(keypoints.rightEye, keypoints.leftEye)) > leaningMax

/** How much a face looks like standing upright; nothing for none and for one that lies on its side. */
async function uprightness(
  pyramid: Pyramid,
  face: DetectedFace | undefined,
  presenceOf: PresenceOf,
): Promise<number> {
  return !face || isLying(face) ? 0 : face.confidence * (await presenceOf(pyramid, face))
}

/** A face that was found is turned only into one that both networks see: profiles and half faces fit no mesh in any position. */
const turningMin = 0.25

/** The number of quarter turns that makes the largest face look most upright; 0 where no turn shows a face. */
async function bestTurn(
  finder: FaceDetector,
  pyramid: Pyramid,
  unturned: number,
  presenceOf: PresenceOf,
): Promise<number> {
  let best = { turns: 0, score: unturned }
  for (const turns of [1, 2, 3]) {
    const turned = new Pyramid(orientImage(pyramid.image, turnedBy[turns]!))
    const [largest] = await glance(finder, turned)
    const score = await uprightness(turned, largest, presenceOf)
    if (score > best.score) best = { turns, score }
  }
  return best.turns
}

/**
 * Finds all faces of a picture. Where there is none, or the largest is not surely upright, the picture is also looked at
 * turned by quarters, and turned the way that shows its largest face best.
 */
export async function detectFaces(
  finder: FaceDetector,
  pyramid: Pyramid,
  presenceOf: PresenceOf,
): Promise<Detection> {
  const faces = await detectUpright(finder, pyramid)
  const [largest] = faces
  const sure = largest && !isLying(largest) && largest.confidence >= finder.uprightConfidence
  if (sure) return { pyramid, quarterTurns: 0, faces }
  const unturned = await uprightness(pyramid, largest, presenceOf)
  const turns = await bestTurn(finder, pyramid, Math.max(unturned, largest ? turningMin : 0), presenceOf)
  if (turns === 0) return { pyramid, quarterTurns: 0, faces }
  const turned = new Pyramid(orientImage(pyramid.image, turnedBy[turns]!))
  return { pyramid: turned, quarterTurns: turns, faces: await detectUpright(finder, turned) }
}
