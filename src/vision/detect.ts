import type { Orientation } from '../media/exif.ts'
import { orientImage } from '../media/orient-image.ts'
import { type DetectedFace, type FaceFinder, faceSide, moveFace } from './face.ts'
import { eyeLineAngle } from './facemesh.ts'
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
async function look(finder: FaceFinder, pyramid: Pyramid, side: number): Promise<DetectedFace[]> {
  const small = shrinkToSide(pyramid, side)
  const faces = await finder.find(small)
  return faces
    .map((face) => moveFace(face, pyramid.image.width / small.width, { x: 0, y: 0 }))
    .sort((p, q) => faceSide(q) - faceSide(p))
}

/**
 * Looks at growing resolution until the largest face is big enough to be sure that no rival of it was missed: most
 * selfies need the first look only, a face in a wide photograph gets a closer one.
 */
async function lookCloser(finder: FaceFinder, pyramid: Pyramid): Promise<DetectedFace[]> {
  const longSide = Math.max(pyramid.image.width, pyramid.image.height)
  let faces: DetectedFace[] = []
  for (const side of finder.lookSides) {
    const seen = await look(finder, pyramid, side)
    if (seen.length > 0 || faces.length === 0) faces = seen
    const largest = faces[0]
    const pixels = largest ? faceSide(largest) * Math.min(1, side / longSide) : 0
    if (pixels >= finder.comfortableSide || side >= longSide) break
  }
  return faces
}

const marginShare = 0.5

/** A face that fills the whole picture is found once there is some room around it. */
async function lookWithMargin(finder: FaceFinder, pyramid: Pyramid): Promise<DetectedFace[]> {
  const small = shrinkToSide(pyramid, finder.lookSides[0]! / (1 + 2 * marginShare))
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
  return faces
    .map((face) => moveFace(face, back, { x: -left * back, y: -top * back }))
    .sort((p, q) => faceSide(q) - faceSide(p))
}

async function detectUpright(finder: FaceFinder, pyramid: Pyramid): Promise<DetectedFace[]> {
  const faces = await lookCloser(finder, pyramid)
  return faces.length > 0 ? faces : lookWithMargin(finder, pyramid)
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

/** The number of quarter turns that makes the largest face look most upright; 0 where no turn shows a face. */
async function bestTurn(
  finder: FaceFinder,
  pyramid: Pyramid,
  unturned: number,
  presenceOf: PresenceOf,
): Promise<number> {
  let best = { turns: 0, score: unturned }
  for (const turns of [1, 2, 3]) {
    const turned = new Pyramid(orientImage(pyramid.image, turnedBy[turns]!))
    const [largest] = await look(finder, turned, finder.lookSides[0]!)
    const score = await uprightness(turned, largest, presenceOf)
    if (score > best.score) best = { turns, score }
  }
  return best.turns
}

/**
 * Finds all faces of a picture. Where there seems to be none, the picture is looked at with a margin around it; where
 * there still is none, or the largest is not surely upright, the picture is also looked at turned by quarters, and
 * turned the way that shows its largest face best.
 */
export async function detectFaces(
  finder: FaceFinder,
  pyramid: Pyramid,
  presenceOf: PresenceOf,
): Promise<Detection> {
  const faces = await detectUpright(finder, pyramid)
  const [largest] = faces
  const sure = largest && !isLying(largest) && largest.confidence >= finder.uprightConfidence
  if (sure) return { pyramid, quarterTurns: 0, faces }
  const turns = await bestTurn(finder, pyramid, await uprightness(pyramid, largest, presenceOf), presenceOf)
  if (turns === 0) return { pyramid, quarterTurns: 0, faces }
  const turned = new Pyramid(orientImage(pyramid.image, turnedBy[turns]!))
  return { pyramid: turned, quarterTurns: turns, faces: await detectUpright(finder, turned) }
}
