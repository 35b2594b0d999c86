/**
 * Measures whether a face moves by itself, or whether only a picture of it moves through the frame.
 *
 * If a flat picture is panned, zoomed, rotated or tilted, any two of its views are related by a homography. A real face has
 * depth, and its lids, lips and skin move. So all frames are aligned to a reference frame by the homography that fits the
 * rigid parts. What still differs in lids, lips or the rigid parts counts as own movement, after subtracting what noise and
 * residual misalignment of edges explain. Stills that software warps or shades also show own movement. To detect them, each
 * frame is additionally warped smoothly and relit to match the reference: for a still almost nothing remains, for a person
 * something does, because lids and lips cover and uncover things. Photos that fade into each other are found by the fading: see
 * `blend.ts`.
 */
import { distance } from '../geometry.ts'
import { measureBlendRemainder } from './blend.ts'
import { eyesApartInPatch, type FacePatch } from './face-patch.ts'
import { rigidPoints, type Zone } from './face-zones.ts'
import { applyHomography, fitHomography } from './homography.ts'
import { quantile } from './quantile.ts'
import { measureJumpRecurrence, measureRecurrence } from './recurrence.ts'
import { FaceRegistration, type RegisteredFace } from './registration.ts'
import { measureViewMovement, type ViewMovement } from './view-movement.ts'

export interface Movement extends ViewMovement {
  /** Frames that could be aligned. */
  frames: number
  /**
   * Own movement of the face: mean squared difference of lids, lips or the rigid parts from the reference, noise subtracted.
   * Unrelated pictures differ by 2.
   */
  own: number
  /** How exactly the movement repeats: 0 means exactly, people have about 1 and more; `null` if too little moves. */
  recurrence: number | null
  /** The same measure for sudden changes in the eyes or the mouth. */
  jumpRecurrence: number | null
  /** What remains of `own` after removing smooth bends and shading: almost nothing for a still. */
  remainder: number
  /** What remains of large changes after removing the best crossfade of the frames around them; `null` if too little changes. */
  blendRemainder: number | null
  /** How unevenly the light changes over the face: median over the frames of the standard deviation of the log gain. */
  light: number
}

const framesMin = 5
/** Maximum number of frames that are tried as the reference. */
const referencesMax = 10
/** Share of a zone that must be visible in a frame. */
const zoneSeenMin = 0.7
/** Minimum eye distance in pixels of the analysed frame; smaller faces (below about 85 pixels) show too little of lids and lips. */
export const eyesApartMin = 38

/** The frame whose mesh is related to most other meshes by nearly a homography. */
function pickReference(patches: readonly FacePatch[]): FacePatch {
  const step = Math.max(1, Math.floor(patches.length / referencesMax))
  const candidates = patches.filter((_, i) => i % step === 0)
  const rigid = candidates.map(({ points }) => rigidPoints.map((index) => points[index]!))
  let best = { patch: candidates[0]!, apart: Number.POSITIVE_INFINITY }
  candidates.forEach((patch, i) => {
    const aparts = rigid
      .filter((_, j) => j !== i)
      .map((other) => {
        const map = fitHomography(rigid[i]!, other)
        const distances = rigid[i]!.map((point, k) => distance(applyHomography(map, point), other[k]!))
        return quantile(distances, 0.5)
      })
    const apart = aparts.length === 0 ? 0 : quantile(aparts, 0.5)
    if (apart < best.apart) best = { patch, apart }
  })
  return best.patch
}

/** Mean of values over the pixels of a zone that are visible in frame and reference; `null` if these are too few. */
function meanOverZone(
  zone: Zone,
  isSeen: (at: number) => boolean,
  value: (at: number) => number,
): number | null {
  let [sum, count] = [0, 0]
  for (const at of zone) {
    if (!isSeen(at)) continue
    sum += value(at)
    count++
  }
  return count < zoneSeenMin * zone.length || count === 0 ? null : sum / count
}

/** Own movement in one frame, by part of the face. */
interface OwnMovement {
  mouth: number | null
  /** Of the eye that changes less, because both lids close together. */
  eyes: number | null
  rigid: number | null
}

function measureOwnMovement(
  registration: FaceRegistration,
  frame: Pick<RegisteredFace, 'chip' | 'isSeen'>,
  halves: readonly [Zone, Zone],
): OwnMovement {
  const { zones, steepness, chip } = registration
  const isSeen = (at: number) => frame.isSeen[at] === 1 && registration.isSeen[at] === 1
  const difference = (at: number) => (frame.chip[at]! - chip[at]!) ** 2
  const mean = (zone: Zone) => meanOverZone(zone, isSeen, difference)
  const steep = (zone: Zone) => meanOverZone(zone, isSeen, (at) => steepness[at]!)
  const [even, edged] = halves
  const [evenMean, edgedMean, evenSteep, edgedSteep] = [mean(even), mean(edged), steep(even), steep(edged)]
  const nothing = { mouth: null, eyes: null, rigid: mean(zones.rigid) }
  if (evenMean === null || edgedMean === null || evenSteep === null || edgedSteep === null) return nothing
  // Misalignment shows at edges, noise everywhere.
  const shift = Math.max(0, (edgedMean - evenMean) / Math.max(edgedSteep - evenSteep, 1e-6))
  const noise = Math.max(0, evenMean - shift * evenSteep)
  const beyond = (zone: Zone) => {
    const [value, edges] = [mean(zone), steep(zone)]
    return value === null || edges === null ? null : value - noise - shift * edges
  }
  const eyes = [beyond(zones.rightEye), beyond(zones.leftEye)].filter((value) => value !== null)
  return { ...nothing, mouth: beyond(zones.mouth), eyes: eyes.length === 0 ? null : Math.min(...eyes) }
}

/** Quantile for lips and depth: speech changes many of the frames. */
const lastingShare = 0.9
/** Gain for the rigid parts: depth changes them less than opening changes the lips. */
const depthGain = 1.3
/** Share of the frames that must be aligned, and share of these that must show mouth and eyes. */
const laidMin = 0.6
const shownMin = 0.5

const dropNulls = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)

/** Change that a tenth of the frames exceed; 0 without measured frames. */
const measureLastingChange = (values: readonly (number | null)[]): number => {
  const seen = dropNulls(values)
  return seen.length === 0 ? 0 : quantile(seen, lastingShare)
}

/** Quantile for blinks in short clips; it ignores single badly aligned frames. */
const briefShare = 0.97

/** A blink lasts 100 to 400 ms in clips of any length, so the largest change in two consecutive frames counts as well. */
function measureBriefChange(values: readonly (number | null)[]): number {
  const inARow = values.slice(1).map((value, i) => Math.min(value ?? 0, values[i] ?? 0))
  const seen = dropNulls(values)
  return Math.max(seen.length === 0 ? 0 : quantile(seen, briefShare), ...inARow)
}

/** The largest change of lips, lids and depth. */
const measureChange = (movements: readonly OwnMovement[], depthGain: number): number =>
  Math.max(
    0,
    measureLastingChange(movements.map(({ mouth }) => mouth)),
    measureBriefChange(movements.map(({ eyes }) => eyes)),
    depthGain * measureLastingChange(movements.map(({ rigid }) => rigid)),
  )

/** Splits the rigid zone into its smooth half and its half with edges. */
function splitBySteepness({ zones, steepness }: FaceRegistration): [Zone, Zone] {
  const values = [...zones.rigid].map((at) => steepness[at]!)
  const median = quantile(values, 0.5)
  return [
    zones.rigid.filter((at) => steepness[at]! <= median),
    zones.rigid.filter((at) => steepness[at]! > median),
  ]
}

/**
 * Measures the movement of a face over a clip.
 * @param patches the face in the frames of the clip, in order of time
 * @returns `null` if too few patches can be aligned or show mouth and eyes
 */
export function measureMovement(patches: readonly FacePatch[]): Movement | null {
  if (patches.length < framesMin) return null
  const reference = pickReference(patches)
  const registration = new FaceRegistration(reference)
  if (registration.zones.rigid.length === 0) return null
  const faces = patches.map((patch) => registration.register(patch)).filter((face) => face !== null)
  if (faces.length < Math.max(framesMin, laidMin * patches.length)) return null
  const halves = splitBySteepness(registration)
  const movements = faces.map((face) => measureOwnMovement(registration, face, halves))
  const shown = movements.filter(
    ({ mouth, eyes, rigid }) => mouth !== null && eyes !== null && rigid !== null,
  )
  if (shown.length < Math.max(framesMin, shownMin * faces.length)) return null
  const { toFrame } = reference
  const { mouth, rightEye, leftEye } = registration.zones
  const eyes = Uint16Array.from([...rightEye, ...leftEye])
  const eyesApart = eyesApartInPatch * Math.hypot(toFrame.a, toFrame.b)
  return {
    frames: faces.length,
    own: measureChange(movements, depthGain),
    recurrence: measureRecurrence(faces, [mouth, eyes]),
    jumpRecurrence: measureJumpRecurrence(faces, [mouth, eyes]),
    remainder: measureChange(
      faces.map(({ unbent }) => measureOwnMovement(registration, unbent, halves)),
      1,
    ),
    blendRemainder: measureBlendRemainder(faces, registration.zones.face),
    light: quantile(
      faces.map(({ unbent }) => unbent.light),
      0.5,
    ),
    ...measureViewMovement(
      faces.map((face) => face.toFrame),
      eyesApart,
    ),
  }
}
