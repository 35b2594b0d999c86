/** What a later decision needs to find the light of a screen on a face: the colours of parts of the picture, frame by frame. */
import { type FaceMesh, meshIndex } from '../facemesh.ts'
import { distance, type Point } from '../geometry.ts'
import type { Pyramid } from '../pyramid.ts'

/** Parts of the picture, in the order in which they are recorded. Right and left are the subject's. */
export const lightZones = [
  ...(['forehead', 'nose', 'rightCheek', 'leftCheek', 'chin', 'brows', 'lips'] as const),
  // The sides of the face between cheek and ear.
  ...(['rightSide', 'leftSide'] as const),
  // Beyond the mesh: ears and hair, the top of the head, the neck, and what is beside the head.
  ...(['rightEar', 'leftEar', 'top', 'neck', 'rightBackground', 'leftBackground'] as const),
] as const
export type LightZone = (typeof lightZones)[number]

/** Colours are linear and scaled by this; black is 0. */
export const colourUnits = 10_000
/** A zone that is not in the picture. */
export const unseen = -1

export interface LightFrame {
  timeS: number
  /** Which part of the clip it is from, if the shape of the frames changes. */
  segment: number
  /** Width of the face (mesh, ear to ear) as a share of the picture's shorter side. */
  share: number
  /** Linear red, green and blue of each zone, one zone after another, as whole numbers of `1 / colourUnits`. */
  colours: readonly number[]
}

/** Frames that show the face, in order of time. */
export type LightRecord = readonly LightFrame[]

const onMesh: Partial<Record<LightZone, readonly number[]>> = {
  forehead: [9, 151, 108, 337, 69, 299, 67, 297],
  nose: [1, 4, 5, 195, 197, 6],
  rightCheek: [50, 101, 118, 205, 36, 187],
  leftCheek: [280, 330, 347, 425, 266, 411],
  chin: [175, 199, 200, 201, 421],
  brows: [52, 53, 65, 66, 105, 282, 283, 295, 296, 334],
  lips: [0, 37, 267, 17, 84, 314],
  rightSide: [234, 93, 227, 116, 137, 123, 177],
  leftSide: [454, 323, 447, 345, 366, 352, 401],
}

/**
 * Places beyond the mesh: across from the middle of the face to the subject's left, and down from the line of the ears, both in widths of
 * the face.
 */
const beyondMesh: Partial<Record<LightZone, readonly (readonly [across: number, down: number])[]>> = {
  rightEar: [-0.06, 0.06, -0.18].map((down) => [-0.57, down] as const),
  leftEar: [-0.06, 0.06, -0.18].map((down) => [0.57, down] as const),
  top: [-0.15, 0, 0.15].map((across) => [across, -0.82] as const),
  neck: [-0.14, 0, 0.14].map((across) => [across, 0.98] as const),
  rightBackground: [-0.5, -0.3, -0.1].map((down) => [-0.72, down] as const),
  leftBackground: [-0.5, -0.3, -0.1].map((down) => [0.72, down] as const),
}

/** Pixels of the level that is sampled, between the outer corners of the eyes; at most twice as many. */
const eyesApart = 24
/** Pixels around each place: 3 × 3 are averaged; brows are too thin for that. */
const reach = 1

const linearOf: Float64Array = Float64Array.from({ length: 256 }, (_, value) => toLinear(value / 255))

/** Linear value of an sRGB value, both 0…1 (IEC 61966-2-1). */
export function toLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

/** The places of the zones in a picture. */
export function placeZones({ points }: FaceMesh): { zone: LightZone; places: readonly Point[] }[] {
  const [right, left] = [points[meshIndex.rightCheek]!, points[meshIndex.leftCheek]!]
  const middle = { x: (right.x + left.x) / 2, y: (right.y + left.y) / 2 }
  const [ux, uy] = [left.x - right.x, left.y - right.y]
  return lightZones.map((zone) => ({
    zone,
    places:
      onMesh[zone]?.map((index) => points[index]!) ??
      beyondMesh[zone]!.map(([across, down]) => ({
        x: middle.x + ux * across - uy * down,
        y: middle.y + uy * across + ux * down,
      })),
  }))
}

/** Reads the colours of the zones. A zone of which a place lies beyond the picture is unseen. */
export function recordLight(pyramid: Pyramid, mesh: FaceMesh, timeS: number, segment = 0): LightFrame {
  const { points } = mesh
  const width = distance(points[meshIndex.rightCheek]!, points[meshIndex.leftCheek]!)
  const apart = distance(points[meshIndex.rightEyeOuter]!, points[meshIndex.leftEyeOuter]!)
  const { image, step } = pyramid.nearest(apart > eyesApart ? apart / eyesApart : 1)
  const colours: number[] = []
  for (const { zone, places } of placeZones(mesh)) {
    const around = zone === 'brows' ? 0 : reach
    const sum = [0, 0, 0]
    let count = 0
    let isSeen = true
    for (const place of places) {
      const [column, row] = [Math.floor(place.x / step), Math.floor(place.y / step)]
      if (
        !(column >= around && row >= around && column < image.width - around && row < image.height - around)
      ) {
        isSeen = false
        break
      }
      for (let y = row - around; y <= row + around; y++) {
        for (let x = column - around; x <= column + around; x++, count++) {
          const at = (y * image.width + x) * 4
          for (let channel = 0; channel < 3; channel++) sum[channel]! += linearOf[image.data[at + channel]!]!
        }
      }
    }
    for (const value of sum) colours.push(isSeen ? Math.round((value / count) * colourUnits) : unseen)
  }
  return { timeS, segment, share: width / Math.min(pyramid.width, pyramid.height), colours }
}
